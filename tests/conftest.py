"""One hypothesis profile for all: the same examples every time, and no clocks."""

from hypothesis import HealthCheck, Phase, settings

settings.register_profile(
    "prefero",
    max_examples=15,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("prefero")
