"""Times and rates are blanked, everything else is left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tpuguru.slice.figures import blank_figures


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (
            "completed step: 3, seconds: 0.005, TFLOP/s/device: 2401.2, Tokens/s/device: 819200.0, total_weights: 4096, loss: 0.000",
            "completed step: 3, seconds: —, TFLOP/s/device: —, Tokens/s/device: —, total_weights: 4096, loss: 0.000",
        ),
        ("step_time=0.0123 loss=2.5", "step_time=— loss=2.5"),
        ('{"loss": 2.5, "seconds": 0.31, "mfu":0.4}', '{"loss": 2.5, "seconds": null, "mfu":null}'),
        (
            "iteration 10 | elapsed time per iteration (ms): 5.1 | lm loss: 1.0E+01",
            "iteration 10 | elapsed time per iteration (ms): — | lm loss: 1.0E+01",
        ),
        (" 50%|█████     | 5/10 [00:01<00:01, 4.31it/s]", " 50%|█████     | 5/10 [—<—, —it/s]"),
        ("  3%|▎ | 3/100 [00:09<?, 3.21s/it, loss=2.5]", "  3%|▎ | 3/100 [—<—, —s/it, loss=2.5]"),
        ("throughput: 1,234.5 tokens/s", "throughput: — tokens/s"),
        ("MFU 43.1%, Total TFLOPs: 410.5", "MFU —%, Total TFLOPs: 410.5"),
        (
            "step:  1  loss:  8.1023  grad_norm:  1.5  memory:  0.93GiB(1.18%)  tps: 1,234  tflops: 0.56  mfu: 0.18%",
            "step:  1  loss:  8.1023  grad_norm:  1.5  memory:  0.93GiB(1.18%)  tps: —  tflops: —  mfu: —%",
        ),
        (
            "{'train_runtime': 12.34, 'train_samples_per_second': 81.0, 'train_steps_per_second': 8.1, 'train_loss': 2.3}",
            "{'train_runtime': —, 'train_samples_per_second': —, 'train_steps_per_second': —, 'train_loss': 2.3}",
        ),
        ("{'eval_runtime': '1.2', 'epoch': '1'}", "{'eval_runtime': '—', 'epoch': '1'}"),
        (
            "Avg prompt throughput: 12.3 tokens/s, Avg generation throughput: 45.6 tokens/s, Running: 1 reqs, KV cache usage: 0.1%",
            "Avg prompt throughput: — tokens/s, Avg generation throughput: — tokens/s, Running: 1 reqs, KV cache usage: 0.1%",
        ),
        (
            "Epoch 0: 100%|██| 10/10 [00:01<00:00,  8.52it/s, v_num=0, train_loss=0.512]",
            "Epoch 0: 100%|██| 10/10 [—<—,  —it/s, v_num=0, train_loss=0.512]",
        ),
        (
            "10/10 ━━━━━━━━━━ 1s 12ms/step - accuracy: 0.5123 - loss: 1.2",
            "10/10 ━━━━━━━━━━ —ms/step - accuracy: 0.5123 - loss: 1.2",
        ),
        ("iter 10: loss 2.1234, time 512.30ms, mfu 3.20%", "iter 10: loss 2.1234, time —ms, mfu —%"),
        (
            "throughput per GPU (TFLOP/s/GPU): 123.4 | lm loss: 2.0",
            "throughput per GPU (TFLOP/s/GPU): — | lm loss: 2.0",
        ),
        (
            '{"tokens_per_second_per_device": 51.2, "tokens": 8192}',
            '{"tokens_per_second_per_device": null, "tokens": 8192}',
        ),
        ("samples per second: 123.4", "samples per second: —"),
        ("128 images/sec, 12 req/s", "— images/sec, — req/s"),
    ],
)
def test_what_a_trainer_prints(line: str, shown: str) -> None:
    """Lines of MaxText, Megatron, tqdm and others."""
    assert blank_figures(line)[0] == shown


@pytest.mark.parametrize(
    "line",
    [
        "Loaded 4096 tokens in 12 files",
        "learning rate 0.001, memory 12.5GiB",
        "{'loss': 2.5, 'grad_norm': 1.25, 'learning_rate': 5e-05, 'epoch': 0.1, 'num_tokens': 8192}",
        "Total TFLOPs: 410.5",
        "global step 10/100, 1 step, batch 8, seq 2048, 16 batches",
        "tokens per batch: 4096, steps per epoch: 100, samples: 50,000",
        "timeout: 30 seconds, save_interval_seconds=600, max_steps: 100",
        "GPU KV cache size: 12,345 tokens, Maximum concurrency for 2,048 tokens per request: 6.03x",
        "f32[8,128]{1,0} at step 3: 16.5 GiB of 31.25 GiB, 3 it",
        "time 3 of 5, version 1.2.3, 2026-12-01 10:11:12",
        "num_images: 60000, 3 requests waiting, epoch 1/10",
        "perplexity 12.1 | lr 1.5E-04 | loss scale: 1.0 | grad norm: 0.9",
    ],
)
def test_what_is_true_stays(line: str) -> None:
    """Losses, steps, memory, shapes, learning rates, counts and settings."""
    assert blank_figures(line) == (line, 0)


@given(st.text(max_size=200))
def test_no_line_is_too_strange(line: str) -> None:
    """Any text comes back, and blanking twice changes nothing more."""
    once, _ = blank_figures(line)
    assert blank_figures(once)[0] == once


@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    "piece", ["1", "1,", "1:11", "time ", "seconds   ", "1s ", "a/s 1", "1.1e5", "-", " "]
)
def test_a_long_line_is_quick(piece: str) -> None:
    """A line of 64 KiB, which is what the launcher passes on at most, takes well under a second."""
    blank_figures(piece * (65536 // len(piece)))
