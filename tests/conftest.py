"""What all tests share: nothing but how Hypothesis behaves."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# No deadline: a slow machine must not fail the build. Derandomised: the same change gives the same answer twice.
settings.register_profile(
    "memfort", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
settings.load_profile("memfort")
