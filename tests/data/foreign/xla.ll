; ModuleID = 'fusion'
source_filename = "fusion"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@shared_0 = private unnamed_addr addrspace(3) global [32 x float] undef

define ptx_kernel void @fusion(ptr noalias readonly align 16 captures(none) dereferenceable(4096) %arg0, ptr noalias align 128 dereferenceable(4096) %arg1) local_unnamed_addr #0 {
entry:
  %0 = addrspacecast ptr %arg1 to ptr addrspace(1)
  %1 = addrspacecast ptr %arg0 to ptr addrspace(1)
  %2 = tail call range(i32 0, 128) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %3 = zext nneg i32 %2 to i64
  %4 = getelementptr inbounds nuw float, ptr addrspace(1) %1, i64 %3
  %5 = load float, ptr addrspace(1) %4, align 4, !invariant.load !3
  %6 = tail call float @llvm.fma.f32(float %5, float %5, float 1.0)
  %7 = getelementptr inbounds nuw float, ptr addrspace(1) %0, i64 %3
  store float %6, ptr addrspace(1) %7, align 4
  ret void
}
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1
declare float @llvm.fma.f32(float, float, float) #1
attributes #0 = { norecurse nounwind "nvvm.reqntid"="128,1,1" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
!nvvm.annotations = !{!0}
!0 = !{ptr @fusion, !"reqntidx", i32 128}
!3 = !{}
