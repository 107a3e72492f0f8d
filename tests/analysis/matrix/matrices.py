"""Matrices of a small kernel, built and read by the real tools."""

from jitstudio.analysis.matrix.plan import MatrixPlan, variants
from jitstudio.analysis.matrix.rows import MatrixRow, built, reports_of
from jitstudio.analysis.reading_request import AnalysisRequest
from jitstudio.core.arch import Arch
from jitstudio.worker.builder import Builder
from jitstudio.worker.disassembly_reader import DisassemblyReader
from tests.support import cuda, request

HUNGRY = """\
extern "C" __global__ void hungry(float* p) {
  __shared__ float s[64];
  float v[40];
  for (int i = 0; i < 40; ++i) v[i] = p[threadIdx.x * 40 + i];
  s[threadIdx.x % 64] = v[3];
  __syncthreads();
  for (int r = 0; r < 9; ++r)
    for (int i = 0; i < 40; ++i) v[i] = v[i] * v[(i * 7 + r) % 40] + s[i];
  for (int i = 0; i < 40; ++i) p[threadIdx.x * 40 + i] = v[i];
}
"""
SOURCE = cuda(HUNGRY, "hungry.cu")


def plan(*targets, options=("",), builds=None):
    return MatrixPlan(
        builds or (request(SOURCE),), tuple(Arch.parse(t) for t in targets), tuple(options)
    )


def carried_out(plan) -> tuple[MatrixRow, ...]:
    """The rows of a plan."""
    builder, reader = Builder(), DisassemblyReader()
    rows = []
    try:
        for variant in variants(plan):
            row = built(variant, builder.build(variant.request))
            if row.cubin:
                code = reader.analyse(AnalysisRequest(row.cubin, "hungry.cubin"))
                reports = reports_of(row.result, code)
                row = MatrixRow(variant, row.result, reports=reports)
            rows.append(row)
    finally:
        builder.close()
        reader.close()
    return tuple(rows)
