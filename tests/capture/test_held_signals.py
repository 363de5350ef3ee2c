"""Signals that come while something is brought to its end."""

import signal
import socket
import threading

import pytest

from tapeview.capture.held_signals import ENDING, signals_held, waking

NUMBERS = [getattr(signal, name) for name in ENDING]


@pytest.fixture
def caught():
    """Signals that got through."""
    got = []
    before = [(n, signal.signal(n, lambda number, _: got.append(number))) for n in NUMBERS]
    yield got
    for number, handler in before:
        signal.signal(number, handler)


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("let_go", [True, False])
def test_a_signal_waits_until_the_block_is_left(caught, number, let_go):
    with signals_held(let_go) as held:
        for _ in range(3):
            signal.raise_signal(number)
        assert (caught, held) == ([], [number] * 3)
    assert caught == ([number] if let_go else [])
    signal.raise_signal(number)
    assert caught[-1:] == [number]


def test_without_a_signal_nothing_happens(caught):
    with signals_held() as held:
        pass
    assert (caught, held) == ([], [])


def test_ctrl_c_is_let_go_as_what_it_is():
    done = []
    with pytest.raises(KeyboardInterrupt), signals_held():
        signal.raise_signal(signal.SIGINT)
        done.append("brought to its end")
    assert done


def test_in_another_thread_there_is_nothing_to_hold(caught):
    def hold():
        with signals_held() as held:
            done.append(held)

    done = []
    thread = threading.Thread(target=hold)
    thread.start()
    thread.join()
    assert done == [[]]


@pytest.mark.parametrize("number", NUMBERS)
def test_a_signal_that_came_before_the_wait_ends_it(caught, number):
    with waking() as until:
        signal.raise_signal(number)
        until.wait()
    assert caught == [number]


def test_another_thread_ends_the_wait():
    with waking() as until:
        thread = threading.Thread(target=until.wake)
        thread.start()
        until.wait()
        thread.join()


def test_whoever_waited_for_signals_before_does_so_again():
    reading, writing = socket.socketpair()
    with reading, writing:
        writing.setblocking(False)
        before = signal.set_wakeup_fd(writing.fileno())
        with waking():
            pass
        assert signal.set_wakeup_fd(before) == writing.fileno()
