from tests.flow_kernels import kernels, made

__all__ = ["kernels", "made"]
