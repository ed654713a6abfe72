"""What can go wrong says where, what and how; Ctrl-C leaves something clean."""

import pickle
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from conftest import QUICK
from sklearn.dummy import DummyRegressor

import hyobscure
from hyobscure import HyObscure, InputError


def refusal(call):
    with pytest.raises(InputError) as caught:
        call()
    error = caught.value
    assert isinstance(error, ValueError) and error.problem and error.remedy
    assert error.problem in str(error) and error.remedy in str(error)
    return error


def test_an_argument_is_named_as_it_was_written(numbers):
    error = refusal(lambda: HyObscure(budget=0.1, people=(5,), values=(1, 50)).fit(*numbers))
    assert error.place.source == "people"
    error = refusal(lambda: HyObscure(budget=0.1, settings={"channel.distanse": "euclidean"}, **QUICK).fit(*numbers))
    assert error.place.source == "settings['channel.distanse']" and "channel.distance" in error.remedy


def test_the_budget_is_the_publishers_to_choose(numbers):
    assert "budget" in str(refusal(lambda: HyObscure(**QUICK).fit(*numbers)))


def test_limits_that_cannot_be_met_are_refused_with_the_nearest_that_can(numbers):
    error = refusal(lambda: HyObscure(budget=0.1, people=(150, 160), values=(1, 50), random_state=1).fit(*numbers))
    assert "people" in str(error)


def test_a_bad_cell_is_told_by_its_row_and_column_and_not_by_its_content(wide):
    broken = wide.assign(height=wide["height"].astype(object))
    broken.loc[17, "height"] = None
    error = refusal(
        lambda: HyObscure(id="who", keep=["gender"], settings={"channel.budget_share": 0.4}, **QUICK).fit(broken, "age")
    )
    assert error.place.row == 18 and error.place.column == "height"
    assert wide.loc[17, "who"] not in str(error)


def test_other_people_are_refused(model, numbers):
    X, _ = numbers
    for other in (X[::-1], X + (np.arange(len(X)) == 3)[:, None]):
        assert "other data" in str(refusal(lambda: model.transform(other)))


def test_people_without_a_donor_are_not_passed_over(numbers):
    X, y = numbers
    model = HyObscure(
        settings={"channel.budget_share": 0.4, "secret.keep": [25, 60]}, **{**QUICK, "people": (10, 200)}
    ).fit(X, y)
    assert "left out" in str(refusal(lambda: model.transform(X)))
    release = model.publish()
    assert len(release.X) == (y >= 25).sum()


def test_an_error_survives_a_pickle(numbers):
    error = refusal(lambda: HyObscure(**QUICK).fit(*numbers))
    other = pickle.loads(pickle.dumps(error))
    assert (str(other), other.place, other.remedy) == (str(error), error.place, error.remedy)


def test_a_second_draw_of_the_same_people_is_refused(numbers, tmp_path):
    X, y = numbers
    arguments = {**QUICK, "random_state": None}
    settings = {"channel.budget_share": 0.4, "release.ledger": str(tmp_path / "ledger.json")}
    HyObscure(settings=settings, **arguments).fit(X, y).publish(tmp_path / "one")
    again = HyObscure(settings=settings, **arguments).fit(X, y)
    assert "second time" in str(refusal(lambda: again.publish(tmp_path / "two")))
    forced = again.publish(tmp_path / "two", second_draw=True)
    assert forced.manifest["second_draw"]["earlier_draws"] == 1


def test_progress_is_told_and_what_it_raises_stops_the_work(numbers):
    stages = []
    HyObscure(budget=0.15, progress=lambda stage, done, total: stages.append(stage), **QUICK).fit(*numbers)
    assert "reading people" in stages

    class Enough(Exception):
        pass

    def stop(stage, done, total):
        raise Enough

    with pytest.raises(Enough):
        HyObscure(budget=0.15, progress=stop, **QUICK).fit(*numbers)


def test_a_bar_of_tqdm(numbers, capsys):
    HyObscure(budget=0.15, progress=True, **QUICK).fit(*numbers)
    assert "reading" in capsys.readouterr().err


def stopped_at(stage, method, tmp_path):
    """A model that got Ctrl-C in this stage of its fit."""
    hyobscure.synth(tmp_path / "data", people=600, items=100, entries=20)
    sent = []

    def press(now, done, total):
        if now == stage and not sent:
            sent.append(now)
            signal.raise_signal(signal.SIGINT)
            time.sleep(0.5)  # the main thread looks for signals 20 times a second

    model = HyObscure.from_spec(tmp_path / "data" / "spec.toml", method=method, random_state=1, progress=press)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs of a shell ignore it
    try:
        with pytest.raises(KeyboardInterrupt):
            model.fit()
    finally:
        signal.signal(signal.SIGINT, before)
    assert sent
    return model


def test_stopped_before_there_is_an_answer_a_model_has_none(tmp_path):
    assert not hasattr(stopped_at("clusters", "fine", tmp_path), "mechanism_")


def test_stopped_later_a_model_has_the_best_answer_so_far(tmp_path):
    model = stopped_at("moving boundaries", "hyobscure", tmp_path)
    assert not model.converged_
    model.progress = False
    with pytest.warns(hyobscure.StoppedEarlyWarning) as caught:
        assert model.publish(tmp_path / "release").verify().passed
    assert {each.category for each in caught} == {hyobscure.StoppedEarlyWarning, hyobscure.SeededWarning}
    assert {each.filename for each in caught} == {__file__}


def test_what_another_signal_raises_is_raised(model):
    """An alarm while an attacker learns, as a limit of time would set it."""

    class TooLong(Exception):
        pass

    class Slow(DummyRegressor):
        def fit(self, X, y):
            time.sleep(0.4)
            return super().fit(X, y)

    def ring(*_):
        raise TooLong

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(TooLong):
            hyobscure.audit(model, attacker=Slow(), scenario="I", releases=2)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


LONG_WORK = """
import signal, sys, hyobscure
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
hyobscure.synth(sys.argv[1] + "/data", people=4000, items=400, entries=40)
model = hyobscure.HyObscure.from_spec(sys.argv[1] + "/data/spec.toml", method="fine", random_state=1)
def show(stage, done, total):
    if stage not in ("", "reading people"):
        print("working", flush=True)
model.progress = show
try:
    model.fit()
    print("finished", flush=True)
except KeyboardInterrupt:
    print("interrupted", hasattr(model, "mechanism_"), flush=True)
"""


def test_ctrl_c_stops_a_fit_soon_and_as_python_does(tmp_path):
    work = subprocess.Popen([sys.executable, "-c", LONG_WORK, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    try:
        assert work.stdout.readline() == "working\n"
        work.send_signal(signal.SIGINT)
        sent = time.monotonic()
        out, _ = work.communicate(timeout=60)
        assert out.splitlines()[-1].startswith("interrupted")
        assert time.monotonic() - sent < 20
    finally:
        work.kill()


def test_other_threads_of_python_go_on_meanwhile(tmp_path):
    """The lock is free while the core works: a thread counts on."""
    import threading

    hyobscure.synth(tmp_path / "data", people=1500, items=200, entries=30)
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    before, start = counted[0], time.monotonic()
    HyObscure.from_spec(tmp_path / "data" / "spec.toml", method="exact", random_state=1).fit()
    seconds, during = time.monotonic() - start, counted[0] - before
    done.set()
    thread.join()
    assert during > 100 * seconds  # of at most 1000 a second; a held lock leaves none
