source_filename = "axpy.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define dso_local ptx_kernel void @axpy(float noundef %a, ptr noundef %x) #0 !dbg !9 {
entry:
    #dbg_value(float %a, !15, !DIExpression(), !17)
    #dbg_value(ptr %x, !16, !DIExpression(), !17)
  store float %a, ptr %x, align 4, !dbg !18
  ret void, !dbg !19
}
attributes #0 = { convergent mustprogress norecurse nounwind }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3, !4}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, producer: "clang version 21.1.0", isOptimized: true, runtimeVersion: 0, emissionKind: LineTablesOnly, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "axpy.cu", directory: "/tmp", checksumkind: CSK_MD5, checksum: "d41d8cd98f00b204e9800998ecf8427e")
!3 = !{i32 2, !"Dwarf Version", i32 2}
!4 = !{i32 2, !"Debug Info Version", i32 3}
!9 = distinct !DISubprogram(name: "axpy", linkageName: "axpy", scope: !1, file: !1, line: 1, type: !10, scopeLine: 1, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !14, keyInstructions: true)
!10 = !DISubroutineType(types: !11)
!11 = !{null, !12, !13}
!12 = !DIBasicType(name: "float", size: 32, encoding: DW_ATE_float)
!13 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !12, size: 64)
!14 = !{!15, !16}
!15 = !DILocalVariable(name: "a", arg: 1, scope: !9, file: !1, line: 1, type: !12)
!16 = !DILocalVariable(name: "x", arg: 2, scope: !9, file: !1, line: 1, type: !13)
!17 = !DILocation(line: 0, scope: !9)
!18 = !DILocation(line: 2, column: 8, scope: !9, atomGroup: 1, atomRank: 1)
!19 = !DILocation(line: 3, column: 1, scope: !9)
