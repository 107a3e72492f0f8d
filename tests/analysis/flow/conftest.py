from tests.flow_kernels import disassembled, kernels, made

__all__ = ["disassembled", "kernels", "made"]
