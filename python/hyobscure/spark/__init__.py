"""Census, fit, publish and verify on Spark DataFrames, for data that does not fit on one machine.

    import hyobscure.spark as hs

    print(hs.check(spark, work="hdfs:///tmp"))
    census = hs.census(people, events, spec="spec.toml", work="hdfs:///tmp")
    mechanism = hs.fit(census, people, events, work="hdfs:///tmp", channel_budget=0.4)
    release = hs.publish(people, events, mechanism, "hdfs:///release", spec="spec.toml", work="hdfs:///tmp")
    assert hs.verify(release.folder, people, events, spec="spec.toml", work="hdfs:///tmp").passed

Spark moves the rows; all that is computed from them is computed by the kernels of the command line, on the
executors. The mechanism and the rows of the release are the same as those of the command line, bit for bit.
"""

try:
    import pyarrow  # noqa: F401
    import pyspark  # noqa: F401
except ImportError as error:
    raise ImportError(
        "hyobscure.spark needs PySpark 3.5 or 4, and PyArrow: pip install 'pyspark==3.5.*' pyarrow, or of the version "
        "that the cluster has"
    ) from error

from .census import Census, census
from .fit import Mechanism, fit
from .machines import check
from .publish import Release, publish
from .verify import Check, Verification, verify

__all__ = ["Census", "Check", "Mechanism", "Release", "Verification", "census", "check", "fit", "publish", "verify"]
