"""Code for which line tables have something to tell: chains of calls, debug metadata."""

NESTED_NAME = "nested.cu"
NESTED = """\
__device__ __forceinline__ float inner(float v) { return v * v + 3.0f; }
__device__ __forceinline__ float middle(float v) {
    return inner(v) * inner(v + 1.0f);
}
__device__ __forceinline__ float outer(float v) {
    return middle(v) + middle(v * 2.0f);
}
extern "C" __global__ void nested(float* p, int n) {
    p[threadIdx.x] = outer(p[threadIdx.x]);
    if (n > 3) p[0] = outer(p[1]) + inner(p[2]);
}
"""

IR_NAME = "adds.ll"
# Two lines of a file that is none of the modules.
IR_WITH_LINES = """\
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @adds(i32* %p) !dbg !4 {
entry:
  %x = load i32, i32* %p, align 4, !dbg !7
  %y = add i32 %x, 41, !dbg !8
  store i32 %y, i32* %p, align 4, !dbg !7
  ret void, !dbg !9
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!nvvm.annotations = !{!5}
!nvvmir.version = !{!6}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: "x", isOptimized: true, runtimeVersion: 0, emissionKind: LineTablesOnly, enums: !2)
!1 = !DIFile(filename: "adds.py", directory: "/src")
!2 = !{}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "adds", scope: !1, file: !1, line: 3, type: !10, isLocal: false, isDefinition: true, scopeLine: 3, isOptimized: true, unit: !0, retainedNodes: !2)
!5 = !{void (i32*)* @adds, !"kernel", i32 1}
!6 = !{i32 2, i32 0, i32 3, i32 1}
!7 = !DILocation(line: 4, column: 5, scope: !4)
!8 = !DILocation(line: 5, column: 9, scope: !4)
!9 = !DILocation(line: 6, column: 1, scope: !4)
!10 = !DISubroutineType(types: !2)
"""  # noqa: E501
