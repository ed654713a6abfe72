"""Mondrian of the PyPI package anonypy on a table of people: mondrian.py PEOPLE_CSV SECRET OUTPUT_CSV K L

Every column but the id and the secret is a quasi-identifier. What is written has one row a person: the number of the class, the
secret as it is (k-anonymity and l-diversity publish it) and what the class shows of every column: its values or, for numbers, their
mean. The package itself shows the range; its middle is far off for skewed numbers, which would be unfair to Mondrian.
"""

import sys

import pandas as pd
from anonypy import Preserver
from anonypy.anonypy import anonymize

source, secret, output, k, l = *sys.argv[1:4], int(sys.argv[4]), int(sys.argv[5])
people = pd.read_csv(source, keep_default_na=False)
features = [column for column in people.columns if column not in ("id", secret)]
for column in features:
    if not pd.api.types.is_numeric_dtype(people[column]):
        people[column] = people[column].astype("category")

mondrian = Preserver(people, features, secret).modrian
classes = mondrian.partition(k, l)
anonymize(people, classes, features, secret)  # the table that the package would publish: its time counts

published = pd.DataFrame({"id": people["id"], "class": -1, secret: people[secret]})
for number, members in enumerate(classes):
    published.loc[members, "class"] = number
for column in features:
    if people[column].dtype.name == "category":
        shown = people.groupby(published["class"])[column].agg(lambda cells: ";".join(sorted(set(map(str, cells)))))
        published[column] = published["class"].map(shown)
    else:
        published[column] = published["class"].map(people.groupby(published["class"])[column].mean())
published.to_csv(output, index=False)
