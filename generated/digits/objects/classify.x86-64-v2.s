	.section	.note.gnu.property,"a",@note
	.p2align	3, 0x0
	.long	4
	.long	16
	.long	5
	.asciz	"GNU"
	.long	3221225474
	.long	4
	.long	3
	.p2align	3, 0x0
	.text
	.file	"kgen"
	.section	.rodata.cst16,"aM",@progbits,16
	.p2align	4, 0x0
.LCPI0_0:
	.long	0x3d9f705f
	.long	0x3e3a22df
	.long	0xbd520b48
	.long	0xbd339466
.LCPI0_1:
	.long	0x3c8c26f9
	.long	0xbdbedbfa
	.long	0xbd8d904f
	.long	0x3c8e948d
.LCPI0_2:
	.long	0xbc1181d4
	.long	0x3cd01212
	.zero	4
	.zero	4
	.text
	.p2align	4
	.type	uk_gemm_f32_1x10x32_1e,@function
uk_gemm_f32_1x10x32_1e:
	xorps	%xmm0, %xmm0
	movq	$-4, %rax
	leaq	digits_weights_6a6edbd71108b2bb8c5c135950f770b8+224(%rip), %rcx
	xorps	%xmm2, %xmm2
	xorps	%xmm5, %xmm5
	xorps	%xmm6, %xmm6
	xorps	%xmm8, %xmm8
	xorps	%xmm9, %xmm9
	xorps	%xmm11, %xmm11
	xorps	%xmm1, %xmm1
	xorps	%xmm3, %xmm3
	xorps	%xmm4, %xmm4
	xorps	%xmm7, %xmm7
	xorps	%xmm10, %xmm10
	.p2align	4
.LBB0_1:
	movss	16(%rdi,%rax,4), %xmm12
	movsldup	%xmm12, %xmm13
	shufps	$0, %xmm12, %xmm12
	movaps	-224(%rcx), %xmm14
	mulps	%xmm12, %xmm14
	addps	%xmm14, %xmm10
	movss	20(%rdi,%rax,4), %xmm14
	mulps	-208(%rcx), %xmm12
	addps	%xmm12, %xmm7
	movsd	-192(%rcx), %xmm12
	mulps	%xmm13, %xmm12
	addps	%xmm12, %xmm4
	movsldup	%xmm14, %xmm12
	shufps	$0, %xmm14, %xmm14
	movaps	-160(%rcx), %xmm13
	mulps	%xmm14, %xmm13
	addps	%xmm13, %xmm3
	movss	24(%rdi,%rax,4), %xmm13
	mulps	-144(%rcx), %xmm14
	addps	%xmm14, %xmm1
	movsd	-128(%rcx), %xmm14
	mulps	%xmm14, %xmm12
	addps	%xmm12, %xmm0
	movsldup	%xmm13, %xmm12
	shufps	$0, %xmm13, %xmm13
	movaps	-96(%rcx), %xmm14
	mulps	%xmm13, %xmm14
	addps	%xmm14, %xmm11
	movss	28(%rdi,%rax,4), %xmm14
	mulps	-80(%rcx), %xmm13
	addps	%xmm13, %xmm9
	movsd	-64(%rcx), %xmm13
	mulps	%xmm13, %xmm12
	addps	%xmm12, %xmm8
	movsldup	%xmm14, %xmm12
	shufps	$0, %xmm14, %xmm14
	movaps	-32(%rcx), %xmm13
	mulps	%xmm14, %xmm13
	mulps	-16(%rcx), %xmm14
	addps	%xmm13, %xmm6
	addps	%xmm14, %xmm5
	movsd	(%rcx), %xmm13
	mulps	%xmm13, %xmm12
	addps	%xmm12, %xmm2
	addq	$4, %rax
	addq	$256, %rcx
	cmpq	$28, %rax
	jb	.LBB0_1
	addps	%xmm11, %xmm10
	addps	%xmm9, %xmm7
	addps	%xmm8, %xmm4
	addps	%xmm6, %xmm3
	addps	%xmm10, %xmm3
	addps	%xmm5, %xmm1
	addps	%xmm7, %xmm1
	addps	%xmm2, %xmm0
	addps	.LCPI0_0(%rip), %xmm3
	addps	%xmm4, %xmm0
	movups	%xmm3, (%rsi)
	addps	.LCPI0_1(%rip), %xmm1
	movups	%xmm1, 16(%rsi)
	addps	.LCPI0_2(%rip), %xmm0
	movlps	%xmm0, 32(%rsi)
	retq
.Lfunc_end0:
	.size	uk_gemm_f32_1x10x32_1e, .Lfunc_end0-uk_gemm_f32_1x10x32_1e

	.p2align	4
	.type	uk_gemm_f32_1x16x256_4e,@function
uk_gemm_f32_1x16x256_4e:
	movups	(%rsi), %xmm3
	movups	16(%rsi), %xmm2
	movups	32(%rsi), %xmm0
	movups	48(%rsi), %xmm9
	movups	128(%rsi), %xmm7
	movups	144(%rsi), %xmm5
	movups	160(%rsi), %xmm4
	movups	176(%rsi), %xmm8
	prefetcht0	(%rdx)
	movss	(%rdi), %xmm1
	movss	4(%rdi), %xmm6
	shufps	$0, %xmm1, %xmm1
	mulps	%xmm1, %xmm3
	xorps	%xmm10, %xmm10
	addps	%xmm10, %xmm3
	mulps	%xmm1, %xmm2
	addps	%xmm10, %xmm2
	mulps	%xmm1, %xmm0
	addps	%xmm10, %xmm0
	mulps	%xmm9, %xmm1
	addps	%xmm10, %xmm1
	shufps	$0, %xmm6, %xmm6
	mulps	%xmm6, %xmm7
	addps	%xmm10, %xmm7
	mulps	%xmm6, %xmm5
	addps	%xmm10, %xmm5
	mulps	%xmm6, %xmm4
	addps	%xmm10, %xmm4
	mulps	%xmm8, %xmm6
	addps	%xmm10, %xmm6
	addq	$432, %rsi
	movq	$-2, %rax
	.p2align	4
.LBB1_1:
	movss	16(%rdi,%rax,4), %xmm9
	movss	20(%rdi,%rax,4), %xmm8
	shufps	$0, %xmm9, %xmm9
	movups	-176(%rsi), %xmm10
	movups	-160(%rsi), %xmm11
	movups	-144(%rsi), %xmm12
	movups	-128(%rsi), %xmm13
	mulps	%xmm9, %xmm10
	addps	%xmm10, %xmm3
	mulps	%xmm9, %xmm11
	addps	%xmm11, %xmm2
	mulps	%xmm9, %xmm12
	addps	%xmm12, %xmm0
	mulps	%xmm9, %xmm13
	addps	%xmm13, %xmm1
	shufps	$0, %xmm8, %xmm8
	movups	-48(%rsi), %xmm9
	mulps	%xmm8, %xmm9
	addps	%xmm9, %xmm7
	movups	-32(%rsi), %xmm9
	mulps	%xmm8, %xmm9
	addps	%xmm9, %xmm5
	movups	-16(%rsi), %xmm9
	mulps	%xmm8, %xmm9
	addps	%xmm9, %xmm4
	movups	(%rsi), %xmm9
	mulps	%xmm8, %xmm9
	addps	%xmm9, %xmm6
	addq	$2, %rax
	addq	$256, %rsi
	cmpq	$252, %rax
	jb	.LBB1_1
	addps	%xmm7, %xmm3
	addps	%xmm5, %xmm2
	addps	%xmm4, %xmm0
	addps	%xmm6, %xmm1
	movups	(%rcx), %xmm4
	addps	%xmm3, %xmm4
	xorps	%xmm3, %xmm3
	xorps	%xmm5, %xmm5
	maxps	%xmm4, %xmm5
	movups	%xmm5, (%rdx)
	movups	16(%rcx), %xmm4
	addps	%xmm2, %xmm4
	xorps	%xmm2, %xmm2
	maxps	%xmm4, %xmm2
	movups	%xmm2, 16(%rdx)
	movups	32(%rcx), %xmm2
	addps	%xmm0, %xmm2
	xorps	%xmm0, %xmm0
	maxps	%xmm2, %xmm0
	movups	%xmm0, 32(%rdx)
	movups	48(%rcx), %xmm0
	addps	%xmm1, %xmm0
	maxps	%xmm0, %xmm3
	movups	%xmm3, 48(%rdx)
	retq
.Lfunc_end1:
	.size	uk_gemm_f32_1x16x256_4e, .Lfunc_end1-uk_gemm_f32_1x16x256_4e

	.section	.rodata.cst16,"aM",@progbits,16
	.p2align	4, 0x0
.LCPI2_0:
	.long	0xff800000
	.long	0xff800000
	.long	0xff800000
	.long	0xff800000
.LCPI2_1:
	.long	0xff800000
	.long	0xff800000
	.zero	4
	.zero	4
.LCPI2_2:
	.zero	4
	.zero	4
	.long	0xff800000
	.long	0xff800000
.LCPI2_3:
	.long	0xb0800000
	.long	0xb0800000
	.long	0xb0800000
	.long	0xb0800000
.LCPI2_4:
	.long	0x3fb8aa3b
	.long	0x3fb8aa3b
	.long	0x3fb8aa3b
	.long	0x3fb8aa3b
.LCPI2_5:
	.long	0x4b400000
	.long	0x4b400000
	.long	0x4b400000
	.long	0x4b400000
.LCPI2_6:
	.long	0xcb400000
	.long	0xcb400000
	.long	0xcb400000
	.long	0xcb400000
.LCPI2_7:
	.long	1065353216
	.long	1065353216
	.long	1065353216
	.long	1065353216
.LCPI2_8:
	.long	0xbf317000
	.long	0xbf317000
	.long	0xbf317000
	.long	0xbf317000
.LCPI2_9:
	.long	0xb805fdf4
	.long	0xb805fdf4
	.long	0xb805fdf4
	.long	0xb805fdf4
.LCPI2_10:
	.long	0x3ab688ff
	.long	0x3ab688ff
	.long	0x3ab688ff
	.long	0x3ab688ff
.LCPI2_11:
	.long	0x3c090631
	.long	0x3c090631
	.long	0x3c090631
	.long	0x3c090631
.LCPI2_12:
	.long	0x3d2aaa8c
	.long	0x3d2aaa8c
	.long	0x3d2aaa8c
	.long	0x3d2aaa8c
.LCPI2_13:
	.long	0x3e2aaa6e
	.long	0x3e2aaa6e
	.long	0x3e2aaa6e
	.long	0x3e2aaa6e
.LCPI2_14:
	.long	0x3f000000
	.long	0x3f000000
	.long	0x3f000000
	.long	0x3f000000
.LCPI2_15:
	.long	0xc2aa1163
	.long	0xc2aa1163
	.long	0xc2aa1163
	.long	0xc2aa1163
.LCPI2_16:
	.long	0xb0800000
	.long	0xb0800000
	.zero	4
	.zero	4
.LCPI2_17:
	.long	0x3fb8aa3b
	.long	0x3fb8aa3b
	.zero	4
	.zero	4
.LCPI2_18:
	.long	0x4b400000
	.long	0x4b400000
	.zero	4
	.zero	4
.LCPI2_19:
	.long	0xcb400000
	.long	0xcb400000
	.zero	4
	.zero	4
.LCPI2_20:
	.long	1065353216
	.long	1065353216
	.zero	4
	.zero	4
.LCPI2_21:
	.long	0xbf317000
	.long	0xbf317000
	.zero	4
	.zero	4
.LCPI2_22:
	.long	0xb805fdf4
	.long	0xb805fdf4
	.zero	4
	.zero	4
.LCPI2_23:
	.long	0x3ab688ff
	.long	0x3ab688ff
	.zero	4
	.zero	4
.LCPI2_24:
	.long	0x3c090631
	.long	0x3c090631
	.zero	4
	.zero	4
.LCPI2_25:
	.long	0x3d2aaa8c
	.long	0x3d2aaa8c
	.zero	4
	.zero	4
.LCPI2_26:
	.long	0x3e2aaa6e
	.long	0x3e2aaa6e
	.zero	4
	.zero	4
.LCPI2_27:
	.long	0x3f000000
	.long	0x3f000000
	.zero	4
	.zero	4
.LCPI2_28:
	.long	0xc2aa1163
	.long	0xc2aa1163
	.zero	4
	.zero	4
.LCPI2_29:
	.zero	4
	.zero	4
	.long	0x80000000
	.long	0x80000000
	.section	.rodata.cst4,"aM",@progbits,4
	.p2align	2, 0x0
.LCPI2_30:
	.long	0x3f800000
	.text
	.hidden	digits_classify_kernel_x86_64_v2
	.globl	digits_classify_kernel_x86_64_v2
	.p2align	4
	.type	digits_classify_kernel_x86_64_v2,@function
digits_classify_kernel_x86_64_v2:
	.cfi_startproc
	endbr64
	pushq	%r15
	.cfi_def_cfa_offset 16
	pushq	%r14
	.cfi_def_cfa_offset 24
	pushq	%r13
	.cfi_def_cfa_offset 32
	pushq	%r12
	.cfi_def_cfa_offset 40
	pushq	%rbx
	.cfi_def_cfa_offset 48
	.cfi_offset %rbx, -48
	.cfi_offset %r12, -40
	.cfi_offset %r13, -32
	.cfi_offset %r14, -24
	.cfi_offset %r15, -16
	movq	%rdx, %r14
	movq	%rsi, %rbx
	movq	%rdi, %r15
	leaq	128(%rdx), %r12
	leaq	64(%rdx), %r13
	leaq	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c(%rip), %rsi
	leaq	.L__constant_32xf32(%rip), %rcx
	callq	uk_gemm_f32_1x16x256_4e
	leaq	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c+64(%rip), %rsi
	leaq	.L__constant_32xf32+64(%rip), %rcx
	movq	%r15, %rdi
	movq	%r13, %rdx
	callq	uk_gemm_f32_1x16x256_4e
	movq	%r14, %rdi
	movq	%r12, %rsi
	callq	uk_gemm_f32_1x10x32_1e
	movaps	.LCPI2_0(%rip), %xmm0
	movaps	128(%r14), %xmm1
	movaps	144(%r14), %xmm2
	movaps	%xmm1, %xmm3
	maxps	%xmm0, %xmm3
	movaps	%xmm2, %xmm4
	maxps	%xmm0, %xmm4
	movsd	160(%r14), %xmm0
	movaps	%xmm0, %xmm5
	maxps	.LCPI2_1(%rip), %xmm5
	blendps	$12, .LCPI2_2(%rip), %xmm5
	maxps	%xmm4, %xmm5
	maxps	%xmm3, %xmm5
	movaps	%xmm5, %xmm4
	unpckhpd	%xmm5, %xmm4
	maxps	%xmm5, %xmm4
	movshdup	%xmm4, %xmm3
	maxss	%xmm4, %xmm3
	movsldup	%xmm3, %xmm4
	shufps	$0, %xmm3, %xmm3
	subps	%xmm3, %xmm2
	subps	%xmm3, %xmm1
	movaps	.LCPI2_3(%rip), %xmm6
	movaps	%xmm6, %xmm9
	minps	%xmm1, %xmm9
	minps	%xmm2, %xmm6
	movaps	.LCPI2_4(%rip), %xmm3
	movaps	%xmm6, %xmm5
	mulps	%xmm3, %xmm5
	mulps	%xmm9, %xmm3
	movaps	.LCPI2_5(%rip), %xmm7
	addps	%xmm7, %xmm3
	addps	%xmm7, %xmm5
	movaps	.LCPI2_6(%rip), %xmm8
	movaps	%xmm5, %xmm7
	addps	%xmm8, %xmm7
	addps	%xmm3, %xmm8
	pslld	$23, %xmm5
	pslld	$23, %xmm3
	movdqa	.LCPI2_7(%rip), %xmm10
	paddd	%xmm10, %xmm3
	paddd	%xmm10, %xmm5
	movaps	.LCPI2_8(%rip), %xmm10
	movaps	%xmm8, %xmm11
	mulps	%xmm10, %xmm11
	mulps	%xmm7, %xmm10
	addps	%xmm6, %xmm10
	addps	%xmm9, %xmm11
	movaps	.LCPI2_9(%rip), %xmm6
	mulps	%xmm6, %xmm7
	addps	%xmm10, %xmm7
	mulps	%xmm6, %xmm8
	addps	%xmm11, %xmm8
	movaps	.LCPI2_10(%rip), %xmm9
	movaps	%xmm7, %xmm10
	mulps	%xmm9, %xmm10
	mulps	%xmm8, %xmm9
	movaps	.LCPI2_11(%rip), %xmm6
	addps	%xmm6, %xmm9
	addps	%xmm6, %xmm10
	mulps	%xmm7, %xmm10
	mulps	%xmm8, %xmm9
	movaps	.LCPI2_12(%rip), %xmm6
	addps	%xmm6, %xmm9
	addps	%xmm6, %xmm10
	mulps	%xmm7, %xmm10
	mulps	%xmm8, %xmm9
	movaps	.LCPI2_13(%rip), %xmm6
	addps	%xmm6, %xmm9
	addps	%xmm6, %xmm10
	mulps	%xmm7, %xmm10
	mulps	%xmm8, %xmm9
	movaps	.LCPI2_14(%rip), %xmm6
	addps	%xmm6, %xmm9
	addps	%xmm6, %xmm10
	movaps	%xmm8, %xmm6
	mulps	%xmm8, %xmm6
	mulps	%xmm9, %xmm6
	movaps	%xmm7, %xmm9
	mulps	%xmm7, %xmm9
	mulps	%xmm10, %xmm9
	addps	%xmm8, %xmm6
	addps	%xmm7, %xmm9
	mulps	%xmm5, %xmm9
	mulps	%xmm3, %xmm6
	addps	%xmm3, %xmm6
	addps	%xmm5, %xmm9
	movaps	.LCPI2_15(%rip), %xmm5
	cmpnltps	%xmm5, %xmm2
	subps	%xmm4, %xmm0
	movaps	.LCPI2_16(%rip), %xmm7
	minps	%xmm0, %xmm7
	movaps	.LCPI2_17(%rip), %xmm3
	mulps	%xmm7, %xmm3
	addps	.LCPI2_18(%rip), %xmm3
	andps	%xmm9, %xmm2
	movaps	.LCPI2_19(%rip), %xmm4
	addps	%xmm3, %xmm4
	pslld	$23, %xmm3
	paddd	.LCPI2_20(%rip), %xmm3
	movaps	.LCPI2_21(%rip), %xmm8
	mulps	%xmm4, %xmm8
	addps	%xmm7, %xmm8
	mulps	.LCPI2_22(%rip), %xmm4
	addps	%xmm8, %xmm4
	movaps	.LCPI2_23(%rip), %xmm7
	mulps	%xmm4, %xmm7
	addps	.LCPI2_24(%rip), %xmm7
	cmpnltps	%xmm5, %xmm1
	mulps	%xmm4, %xmm7
	addps	.LCPI2_25(%rip), %xmm7
	andps	%xmm6, %xmm1
	mulps	%xmm4, %xmm7
	addps	.LCPI2_26(%rip), %xmm7
	movaps	%xmm1, (%r14)
	mulps	%xmm4, %xmm7
	addps	.LCPI2_27(%rip), %xmm7
	movaps	%xmm2, 16(%r14)
	movaps	%xmm4, %xmm5
	mulps	%xmm4, %xmm5
	mulps	%xmm7, %xmm5
	addps	%xmm4, %xmm5
	mulps	%xmm3, %xmm5
	cmpnltps	.LCPI2_28(%rip), %xmm0
	addps	%xmm3, %xmm5
	andps	%xmm5, %xmm0
	movlps	%xmm0, 32(%r14)
	movl	$0, 64(%r14)
	movaps	.LCPI2_29(%rip), %xmm3
	blendps	$3, %xmm0, %xmm3
	addps	%xmm2, %xmm3
	addps	%xmm1, %xmm3
	movaps	%xmm3, %xmm1
	unpckhpd	%xmm3, %xmm1
	addps	%xmm3, %xmm1
	movshdup	%xmm1, %xmm2
	addss	%xmm1, %xmm2
	xorps	%xmm1, %xmm1
	addss	%xmm1, %xmm2
	addss	%xmm1, %xmm2
	movss	.LCPI2_30(%rip), %xmm1
	divss	%xmm2, %xmm1
	movsldup	%xmm1, %xmm2
	shufps	$0, %xmm1, %xmm1
	movaps	(%r14), %xmm3
	mulps	%xmm1, %xmm3
	mulps	16(%r14), %xmm1
	movups	%xmm3, (%rbx)
	movups	%xmm1, 16(%rbx)
	mulps	%xmm0, %xmm2
	movlps	%xmm2, 32(%rbx)
	popq	%rbx
	.cfi_def_cfa_offset 40
	popq	%r12
	.cfi_def_cfa_offset 32
	popq	%r13
	.cfi_def_cfa_offset 24
	popq	%r14
	.cfi_def_cfa_offset 16
	popq	%r15
	.cfi_def_cfa_offset 8
	retq
.Lfunc_end2:
	.size	digits_classify_kernel_x86_64_v2, .Lfunc_end2-digits_classify_kernel_x86_64_v2
	.cfi_endproc

	.type	.L__constant_32xf32,@object
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
.L__constant_32xf32:
	.long	0x3e01a6b1
	.long	0xbd80bea3
	.long	0x3d8459b9
	.long	0x3d405c7a
	.long	0x3e203e1a
	.long	0x3e90e792
	.long	0x3e28ba7b
	.long	0x3e338798
	.long	0x3e69fe6f
	.long	0x3cd904a2
	.long	0x3cd75aac
	.long	0x3e8a9f6a
	.long	0x3e60df71
	.long	0x3e63eb31
	.long	0x3e3c328b
	.long	0xbc62c909
	.long	0x3e4502e6
	.long	0x3dcdce05
	.long	0xbd258b75
	.long	0x3e52dcd9
	.long	0x3ea2b3db
	.long	0x3e8c7dd2
	.long	0xbdae55a0
	.long	0xbe0bc25a
	.long	0x3ddff79b
	.long	0x3e56ecd7
	.long	0xbc99f7f1
	.long	0x3e85e940
	.long	0x3e25542a
	.long	0x3df501d5
	.long	0x3db14a66
	.long	0x3e97584a
	.size	.L__constant_32xf32, 128

	.hidden	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c
	.hidden	digits_weights_6a6edbd71108b2bb8c5c135950f770b8
	.section	".note.GNU-stack","",@progbits
