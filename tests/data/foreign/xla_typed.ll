; ModuleID = 'm'
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
define void @fusion(i8* noalias align 16 dereferenceable(400) %alloc0, i8* noalias align 64 dereferenceable(400) %temp_buf) {
entry:
  %fusion.raw = getelementptr inbounds i8, i8* %alloc0, i64 0
  %0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !range !2
  %1 = zext i32 %0 to i64
  %2 = bitcast i8* %fusion.raw to float*
  %3 = getelementptr inbounds float, float* %2, i64 %1
  store float 0.000000e+00, float* %3, align 4
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #0
attributes #0 = { nounwind readnone speculatable }
!nvvm.annotations = !{!0, !1}
!0 = !{void (i8*, i8*)* @fusion, !"kernel", i32 1}
!1 = !{void (i8*, i8*)* @fusion, !"reqntidx", i32 100}
!2 = !{i32 0, i32 100}
