	.file	"kgen"
	.section	.rodata.cst16,"aM",@progbits,16
	.p2align	4, 0x0
.LCPI0_0:
	.long	0xbc1181d4
	.long	0x3cd01212
	.zero	4
	.zero	4
	.text
	.p2align	4
	.type	uk_gemm_f32_1x2x32_1e,@function
uk_gemm_f32_1x2x32_1e:
	xorps	%xmm0, %xmm0
	movq	$-8, %rax
	leaq	digits_weights_6a6edbd71108b2bb8c5c135950f770b8+480(%rip), %rcx
	xorps	%xmm1, %xmm1
	xorps	%xmm4, %xmm4
	xorps	%xmm5, %xmm5
	xorps	%xmm7, %xmm7
	xorps	%xmm2, %xmm2
	xorps	%xmm3, %xmm3
	xorps	%xmm6, %xmm6
	.p2align	4
.LBB0_1:
	movss	32(%rdi,%rax,4), %xmm8
	movss	36(%rdi,%rax,4), %xmm9
	movss	40(%rdi,%rax,4), %xmm10
	movss	44(%rdi,%rax,4), %xmm11
	movsldup	%xmm8, %xmm8
	movsd	-448(%rcx), %xmm12
	mulps	%xmm8, %xmm12
	addps	%xmm12, %xmm6
	movsd	-384(%rcx), %xmm8
	movsd	-320(%rcx), %xmm12
	movsd	-256(%rcx), %xmm13
	movsldup	%xmm9, %xmm9
	mulps	%xmm8, %xmm9
	addps	%xmm9, %xmm3
	movsldup	%xmm10, %xmm8
	mulps	%xmm12, %xmm8
	addps	%xmm8, %xmm2
	movsldup	%xmm11, %xmm8
	mulps	%xmm13, %xmm8
	addps	%xmm8, %xmm0
	movsd	-192(%rcx), %xmm8
	movss	48(%rdi,%rax,4), %xmm9
	movsldup	%xmm9, %xmm9
	mulps	%xmm8, %xmm9
	addps	%xmm9, %xmm7
	movsd	-128(%rcx), %xmm8
	movss	52(%rdi,%rax,4), %xmm9
	movsldup	%xmm9, %xmm9
	mulps	%xmm8, %xmm9
	addps	%xmm9, %xmm5
	movsd	-64(%rcx), %xmm8
	movss	56(%rdi,%rax,4), %xmm9
	movsldup	%xmm9, %xmm9
	mulps	%xmm8, %xmm9
	addps	%xmm9, %xmm4
	movsd	(%rcx), %xmm8
	movss	60(%rdi,%rax,4), %xmm9
	movsldup	%xmm9, %xmm9
	mulps	%xmm8, %xmm9
	addps	%xmm9, %xmm1
	addq	$8, %rax
	addq	$512, %rcx
	cmpq	$24, %rax
	jb	.LBB0_1
	addps	%xmm7, %xmm6
	addps	%xmm5, %xmm3
	addps	%xmm4, %xmm2
	addps	%xmm6, %xmm2
	addps	%xmm1, %xmm0
	addps	%xmm3, %xmm0
	addps	%xmm2, %xmm0
	addps	.LCPI0_0(%rip), %xmm0
	movlps	%xmm0, (%rsi)
	retq
.Lfunc_end0:
	.size	uk_gemm_f32_1x2x32_1e, .Lfunc_end0-uk_gemm_f32_1x2x32_1e

	.section	.rodata.cst16,"aM",@progbits,16
	.p2align	4, 0x0
.LCPI1_0:
	.long	0x3d9f705f
	.long	0x3e3a22df
	.long	0xbd520b48
	.long	0xbd339466
.LCPI1_1:
	.long	0x3c8c26f9
	.long	0xbdbedbfa
	.long	0xbd8d904f
	.long	0x3c8e948d
	.text
	.p2align	4
	.type	uk_gemm_f32_1x8x32_1e,@function
uk_gemm_f32_1x8x32_1e:
	xorps	%xmm0, %xmm0
	movq	$-4, %rax
	leaq	digits_weights_6a6edbd71108b2bb8c5c135950f770b8+208(%rip), %rcx
	xorps	%xmm1, %xmm1
	xorps	%xmm4, %xmm4
	xorps	%xmm5, %xmm5
	xorps	%xmm7, %xmm7
	xorps	%xmm2, %xmm2
	xorps	%xmm3, %xmm3
	xorps	%xmm6, %xmm6
	.p2align	4
.LBB1_1:
	movss	16(%rdi,%rax,4), %xmm10
	movss	20(%rdi,%rax,4), %xmm11
	movss	24(%rdi,%rax,4), %xmm9
	movss	28(%rdi,%rax,4), %xmm8
	shufps	$0, %xmm10, %xmm10
	movaps	-208(%rcx), %xmm12
	mulps	%xmm10, %xmm12
	addps	%xmm12, %xmm6
	mulps	-192(%rcx), %xmm10
	addps	%xmm10, %xmm3
	shufps	$0, %xmm11, %xmm11
	movaps	-144(%rcx), %xmm10
	mulps	%xmm11, %xmm10
	addps	%xmm10, %xmm2
	mulps	-128(%rcx), %xmm11
	addps	%xmm11, %xmm0
	shufps	$0, %xmm9, %xmm9
	movaps	-80(%rcx), %xmm10
	mulps	%xmm9, %xmm10
	mulps	-64(%rcx), %xmm9
	addps	%xmm10, %xmm7
	addps	%xmm9, %xmm5
	shufps	$0, %xmm8, %xmm8
	movaps	-16(%rcx), %xmm9
	mulps	%xmm8, %xmm9
	addps	%xmm9, %xmm4
	mulps	(%rcx), %xmm8
	addps	%xmm8, %xmm1
	addq	$4, %rax
	addq	$256, %rcx
	cmpq	$28, %rax
	jb	.LBB1_1
	addps	%xmm7, %xmm6
	addps	%xmm5, %xmm3
	addps	%xmm4, %xmm2
	addps	%xmm6, %xmm2
	addps	%xmm1, %xmm0
	addps	%xmm3, %xmm0
	addps	.LCPI1_0(%rip), %xmm2
	movups	%xmm2, (%rsi)
	addps	.LCPI1_1(%rip), %xmm0
	movups	%xmm0, 16(%rsi)
	retq
.Lfunc_end1:
	.size	uk_gemm_f32_1x8x32_1e, .Lfunc_end1-uk_gemm_f32_1x8x32_1e

	.p2align	4
	.type	uk_gemm_f32_1x8x256_4e,@function
uk_gemm_f32_1x8x256_4e:
	movaps	%xmm1, -24(%rsp)
	movaps	%xmm0, -40(%rsp)
	prefetcht0	(%rdx)
	addq	$400, %rsi
	xorps	%xmm0, %xmm0
	movq	$-4, %rax
	xorps	%xmm3, %xmm3
	xorps	%xmm6, %xmm6
	xorps	%xmm7, %xmm7
	xorps	%xmm9, %xmm9
	xorps	%xmm4, %xmm4
	xorps	%xmm5, %xmm5
	xorps	%xmm8, %xmm8
	.p2align	4
.LBB2_1:
	movss	16(%rdi,%rax,4), %xmm12
	movss	20(%rdi,%rax,4), %xmm13
	movss	24(%rdi,%rax,4), %xmm11
	movss	28(%rdi,%rax,4), %xmm10
	shufps	$0, %xmm12, %xmm12
	movups	-400(%rsi), %xmm14
	movups	-384(%rsi), %xmm15
	movups	-272(%rsi), %xmm2
	movups	-256(%rsi), %xmm1
	mulps	%xmm12, %xmm14
	addps	%xmm14, %xmm8
	mulps	%xmm12, %xmm15
	addps	%xmm15, %xmm5
	shufps	$0, %xmm13, %xmm13
	mulps	%xmm13, %xmm2
	addps	%xmm2, %xmm4
	mulps	%xmm1, %xmm13
	addps	%xmm13, %xmm0
	movups	-144(%rsi), %xmm1
	movups	-128(%rsi), %xmm2
	shufps	$0, %xmm11, %xmm11
	mulps	%xmm11, %xmm1
	addps	%xmm1, %xmm9
	mulps	%xmm2, %xmm11
	addps	%xmm11, %xmm7
	movups	-16(%rsi), %xmm1
	movups	(%rsi), %xmm2
	shufps	$0, %xmm10, %xmm10
	mulps	%xmm10, %xmm1
	addps	%xmm1, %xmm6
	mulps	%xmm2, %xmm10
	addps	%xmm10, %xmm3
	addq	$4, %rax
	addq	$512, %rsi
	cmpq	$252, %rax
	jb	.LBB2_1
	addps	%xmm9, %xmm8
	addps	%xmm7, %xmm5
	addps	%xmm6, %xmm4
	addps	%xmm8, %xmm4
	addps	%xmm3, %xmm0
	addps	%xmm5, %xmm0
	movaps	-40(%rsp), %xmm3
	addps	%xmm4, %xmm3
	xorps	%xmm1, %xmm1
	xorps	%xmm2, %xmm2
	maxps	%xmm3, %xmm2
	movups	%xmm2, (%rdx)
	movaps	-24(%rsp), %xmm2
	addps	%xmm0, %xmm2
	maxps	%xmm2, %xmm1
	movups	%xmm1, 16(%rdx)
	retq
.Lfunc_end2:
	.size	uk_gemm_f32_1x8x256_4e, .Lfunc_end2-uk_gemm_f32_1x8x256_4e

	.section	.rodata.cst16,"aM",@progbits,16
	.p2align	4, 0x0
.LCPI3_0:
	.long	0x3e01a6b1
	.long	0xbd80bea3
	.long	0x3d8459b9
	.long	0x3d405c7a
.LCPI3_1:
	.long	0x3e203e1a
	.long	0x3e90e792
	.long	0x3e28ba7b
	.long	0x3e338798
.LCPI3_2:
	.long	0x3e69fe6f
	.long	0x3cd904a2
	.long	0x3cd75aac
	.long	0x3e8a9f6a
.LCPI3_3:
	.long	0x3e60df71
	.long	0x3e63eb31
	.long	0x3e3c328b
	.long	0xbc62c909
.LCPI3_4:
	.long	0x3e4502e6
	.long	0x3dcdce05
	.long	0xbd258b75
	.long	0x3e52dcd9
.LCPI3_5:
	.long	0x3ea2b3db
	.long	0x3e8c7dd2
	.long	0xbdae55a0
	.long	0xbe0bc25a
.LCPI3_6:
	.long	0x3ddff79b
	.long	0x3e56ecd7
	.long	0xbc99f7f1
	.long	0x3e85e940
.LCPI3_7:
	.long	0x3e25542a
	.long	0x3df501d5
	.long	0x3db14a66
	.long	0x3e97584a
.LCPI3_9:
	.long	0x42b20000
	.long	0x42b20000
	.long	0x42b20000
	.long	0x42b20000
.LCPI3_10:
	.long	0xc2d20000
	.long	0xc2d20000
	.long	0xc2d20000
	.long	0xc2d20000
.LCPI3_11:
	.long	0x3fb8aa3b
	.long	0x3fb8aa3b
	.long	0x3fb8aa3b
	.long	0x3fb8aa3b
.LCPI3_12:
	.long	0x4b400000
	.long	0x4b400000
	.long	0x4b400000
	.long	0x4b400000
.LCPI3_13:
	.long	254
	.long	254
	.long	254
	.long	254
.LCPI3_14:
	.long	0xcb400000
	.long	0xcb400000
	.long	0xcb400000
	.long	0xcb400000
.LCPI3_15:
	.long	0xbf317400
	.long	0xbf317400
	.long	0xbf317400
	.long	0xbf317400
.LCPI3_16:
	.long	0x37f40417
	.long	0x37f40417
	.long	0x37f40417
	.long	0x37f40417
.LCPI3_17:
	.long	0x3ab688ff
	.long	0x3ab688ff
	.long	0x3ab688ff
	.long	0x3ab688ff
.LCPI3_18:
	.long	0x3c090631
	.long	0x3c090631
	.long	0x3c090631
	.long	0x3c090631
.LCPI3_19:
	.long	0x3d2aaa8c
	.long	0x3d2aaa8c
	.long	0x3d2aaa8c
	.long	0x3d2aaa8c
.LCPI3_20:
	.long	0x3e2aaa6e
	.long	0x3e2aaa6e
	.long	0x3e2aaa6e
	.long	0x3e2aaa6e
.LCPI3_21:
	.long	0x3f000000
	.long	0x3f000000
	.long	0x3f000000
	.long	0x3f000000
.LCPI3_22:
	.long	0x3f800000
	.long	0x3f800000
	.long	0x3f800000
	.long	0x3f800000
.LCPI3_23:
	.long	0x42b20000
	.long	0x42b20000
	.zero	4
	.zero	4
.LCPI3_24:
	.long	0xc2d20000
	.long	0xc2d20000
	.zero	4
	.zero	4
.LCPI3_25:
	.long	0x3fb8aa3b
	.long	0x3fb8aa3b
	.zero	4
	.zero	4
.LCPI3_26:
	.long	0x4b400000
	.long	0x4b400000
	.zero	4
	.zero	4
.LCPI3_27:
	.long	254
	.long	254
	.zero	4
	.zero	4
.LCPI3_28:
	.long	0xcb400000
	.long	0xcb400000
	.zero	4
	.zero	4
.LCPI3_29:
	.long	0xbf317400
	.long	0xbf317400
	.zero	4
	.zero	4
.LCPI3_30:
	.long	0x37f40417
	.long	0x37f40417
	.zero	4
	.zero	4
.LCPI3_31:
	.long	0x3ab688ff
	.long	0x3ab688ff
	.zero	4
	.zero	4
.LCPI3_32:
	.long	0x3c090631
	.long	0x3c090631
	.zero	4
	.zero	4
.LCPI3_33:
	.long	0x3d2aaa8c
	.long	0x3d2aaa8c
	.zero	4
	.zero	4
.LCPI3_34:
	.long	0x3e2aaa6e
	.long	0x3e2aaa6e
	.zero	4
	.zero	4
.LCPI3_35:
	.long	0x3f000000
	.long	0x3f000000
	.zero	4
	.zero	4
.LCPI3_36:
	.long	0x3f800000
	.long	0x3f800000
	.zero	4
	.zero	4
	.section	.rodata.cst4,"aM",@progbits,4
	.p2align	2, 0x0
.LCPI3_8:
	.long	0xff800000
	.text
	.hidden	digits_classify_kernel_x86_64_v2
	.globl	digits_classify_kernel_x86_64_v2
	.p2align	4
	.type	digits_classify_kernel_x86_64_v2,@function
digits_classify_kernel_x86_64_v2:
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	subq	$32, %rsp
	movq	%rdx, %r14
	movq	%rsi, %rbx
	movq	%rdi, %r12
	leaq	128(%rdx), %r15
	leaq	64(%rdx), %r13
	leaq	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c(%rip), %rsi
	movaps	.LCPI3_0(%rip), %xmm0
	movaps	.LCPI3_1(%rip), %xmm1
	callq	uk_gemm_f32_1x8x256_4e
	leaq	32(%r14), %rdx
	leaq	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c+32(%rip), %rsi
	movaps	.LCPI3_2(%rip), %xmm0
	movaps	.LCPI3_3(%rip), %xmm1
	movq	%r12, %rdi
	callq	uk_gemm_f32_1x8x256_4e
	leaq	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c+64(%rip), %rsi
	movaps	.LCPI3_4(%rip), %xmm0
	movaps	.LCPI3_5(%rip), %xmm1
	movq	%r12, %rdi
	movq	%r13, %rdx
	callq	uk_gemm_f32_1x8x256_4e
	leaq	96(%r14), %rdx
	leaq	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c+96(%rip), %rsi
	movaps	.LCPI3_6(%rip), %xmm0
	movaps	.LCPI3_7(%rip), %xmm1
	movq	%r12, %rdi
	callq	uk_gemm_f32_1x8x256_4e
	movq	%r14, %rdi
	movq	%r15, %rsi
	callq	uk_gemm_f32_1x8x32_1e
	leaq	160(%r14), %rsi
	movq	%r14, %rdi
	callq	uk_gemm_f32_1x2x32_1e
	movl	$-8388608, (%r14)
	movaps	128(%r14), %xmm0
	movaps	144(%r14), %xmm1
	movaps	%xmm0, %xmm2
	blendvps	%xmm0, %xmm1, %xmm2
	blendvps	%xmm0, %xmm0, %xmm1
	movaps	%xmm1, %xmm3
	maxps	%xmm2, %xmm3
	movaps	%xmm1, %xmm0
	cmpunordps	%xmm1, %xmm0
	blendvps	%xmm0, %xmm1, %xmm3
	movsd	160(%r14), %xmm0
	movss	.LCPI3_8(%rip), %xmm1
	movaps	%xmm0, 16(%rsp)
	shufps	$4, %xmm1, %xmm0
	movaps	%xmm0, %xmm2
	blendvps	%xmm0, %xmm3, %xmm2
	blendvps	%xmm0, %xmm0, %xmm3
	movaps	%xmm3, %xmm1
	maxps	%xmm2, %xmm1
	movaps	%xmm3, %xmm0
	cmpunordps	%xmm3, %xmm0
	blendvps	%xmm0, %xmm3, %xmm1
	movshdup	%xmm1, %xmm2
	movd	%xmm1, %eax
	testl	%eax, %eax
	js	.LBB3_1
	movaps	%xmm1, %xmm0
	jmp	.LBB3_3
.LBB3_1:
	movaps	%xmm2, %xmm0
	movaps	%xmm1, %xmm2
.LBB3_3:
	movaps	%xmm2, %xmm3
	maxss	%xmm0, %xmm3
	movaps	%xmm2, %xmm0
	cmpunordss	%xmm2, %xmm0
	blendvps	%xmm0, %xmm2, %xmm3
	movd	%xmm3, %eax
	movaps	%xmm1, %xmm2
	unpckhpd	%xmm1, %xmm2
	testl	%eax, %eax
	js	.LBB3_4
	movaps	%xmm3, %xmm0
	jmp	.LBB3_6
.LBB3_4:
	movaps	%xmm2, %xmm0
	movaps	%xmm3, %xmm2
.LBB3_6:
	movaps	%xmm2, %xmm3
	maxss	%xmm0, %xmm3
	movaps	%xmm2, %xmm0
	cmpunordss	%xmm2, %xmm0
	blendvps	%xmm0, %xmm2, %xmm3
	movd	%xmm3, %eax
	shufps	$255, %xmm1, %xmm1
	testl	%eax, %eax
	js	.LBB3_7
	movaps	%xmm3, %xmm0
	jmp	.LBB3_9
.LBB3_7:
	movaps	%xmm1, %xmm0
	movaps	%xmm3, %xmm1
.LBB3_9:
	movaps	%xmm1, %xmm2
	maxss	%xmm0, %xmm2
	movaps	%xmm1, %xmm0
	cmpunordss	%xmm1, %xmm0
	blendvps	%xmm0, %xmm1, %xmm2
	movaps	%xmm2, (%rsp)
	movaps	%xmm2, %xmm0
	shufps	$0, %xmm2, %xmm0
	movb	$1, %al
	xorl	%ecx, %ecx
	movaps	.LCPI3_12(%rip), %xmm6
	movdqa	.LCPI3_13(%rip), %xmm7
	movaps	.LCPI3_14(%rip), %xmm8
	movaps	.LCPI3_15(%rip), %xmm9
	movaps	.LCPI3_16(%rip), %xmm10
	movaps	.LCPI3_17(%rip), %xmm11
	movaps	.LCPI3_18(%rip), %xmm12
	movaps	.LCPI3_19(%rip), %xmm13
	movaps	.LCPI3_20(%rip), %xmm14
	movaps	.LCPI3_21(%rip), %xmm15
	movaps	.LCPI3_22(%rip), %xmm1
	.p2align	4
.LBB3_10:
	movaps	128(%r14,%rcx,4), %xmm2
	subps	%xmm0, %xmm2
	movaps	.LCPI3_9(%rip), %xmm3
	minps	%xmm2, %xmm3
	movaps	.LCPI3_10(%rip), %xmm4
	maxps	%xmm3, %xmm4
	movaps	%xmm4, %xmm2
	mulps	.LCPI3_11(%rip), %xmm2
	addps	%xmm6, %xmm2
	movaps	%xmm2, %xmm3
	addps	%xmm8, %xmm2
	movaps	%xmm2, %xmm5
	mulps	%xmm9, %xmm5
	addps	%xmm4, %xmm5
	mulps	%xmm10, %xmm2
	addps	%xmm5, %xmm2
	movaps	%xmm2, %xmm4
	mulps	%xmm11, %xmm4
	addps	%xmm12, %xmm4
	mulps	%xmm2, %xmm4
	addps	%xmm13, %xmm4
	mulps	%xmm2, %xmm4
	addps	%xmm14, %xmm4
	mulps	%xmm2, %xmm4
	addps	%xmm15, %xmm4
	movaps	%xmm2, %xmm5
	mulps	%xmm2, %xmm5
	mulps	%xmm4, %xmm5
	paddd	%xmm7, %xmm3
	addps	%xmm2, %xmm5
	movdqa	%xmm3, %xmm2
	psrld	$1, %xmm2
	psubd	%xmm2, %xmm3
	pslld	$23, %xmm2
	addps	%xmm1, %xmm5
	mulps	%xmm2, %xmm5
	pslld	$23, %xmm3
	mulps	%xmm3, %xmm5
	movaps	%xmm5, (%r14,%rcx,4)
	movl	%eax, %edx
	movl	$4, %ecx
	xorl	%eax, %eax
	testb	$1, %dl
	jne	.LBB3_10
	movsldup	(%rsp), %xmm0
	movaps	16(%rsp), %xmm1
	subps	%xmm0, %xmm1
	movaps	.LCPI3_23(%rip), %xmm0
	minps	%xmm1, %xmm0
	movaps	.LCPI3_24(%rip), %xmm4
	maxps	%xmm0, %xmm4
	movaps	.LCPI3_25(%rip), %xmm2
	mulps	%xmm4, %xmm2
	addps	.LCPI3_26(%rip), %xmm2
	movdqa	.LCPI3_27(%rip), %xmm1
	paddd	%xmm2, %xmm1
	movdqa	%xmm1, %xmm3
	psrld	$1, %xmm3
	addps	.LCPI3_28(%rip), %xmm2
	movaps	.LCPI3_29(%rip), %xmm0
	mulps	%xmm2, %xmm0
	addps	%xmm4, %xmm0
	mulps	.LCPI3_30(%rip), %xmm2
	addps	%xmm0, %xmm2
	movaps	.LCPI3_31(%rip), %xmm4
	mulps	%xmm2, %xmm4
	addps	.LCPI3_32(%rip), %xmm4
	psubd	%xmm3, %xmm1
	mulps	%xmm2, %xmm4
	addps	.LCPI3_33(%rip), %xmm4
	pslld	$23, %xmm3
	mulps	%xmm2, %xmm4
	addps	.LCPI3_34(%rip), %xmm4
	pslld	$23, %xmm1
	mulps	%xmm2, %xmm4
	addps	.LCPI3_35(%rip), %xmm4
	movaps	%xmm2, %xmm0
	mulps	%xmm2, %xmm0
	mulps	%xmm4, %xmm0
	addps	%xmm2, %xmm0
	addps	.LCPI3_36(%rip), %xmm0
	mulps	%xmm3, %xmm0
	mulps	%xmm1, %xmm0
	movlps	%xmm0, 32(%r14)
	movl	$0, 64(%r14)
	movaps	(%r14), %xmm1
	xorps	%xmm2, %xmm2
	movaps	%xmm1, %xmm3
	addps	%xmm2, %xmm3
	movaps	%xmm0, %xmm4
	addps	%xmm2, %xmm4
	addps	16(%r14), %xmm2
	addps	%xmm3, %xmm2
	movaps	%xmm2, %xmm3
	unpckhpd	%xmm2, %xmm3
	addps	%xmm2, %xmm3
	movshdup	%xmm3, %xmm2
	addss	%xmm3, %xmm2
	xorps	%xmm3, %xmm3
	addss	%xmm3, %xmm2
	addss	%xmm3, %xmm2
	movshdup	%xmm4, %xmm5
	addss	%xmm4, %xmm5
	addss	%xmm3, %xmm5
	addss	%xmm2, %xmm5
	movsldup	%xmm5, %xmm2
	shufps	$0, %xmm5, %xmm5
	divps	%xmm5, %xmm1
	movups	%xmm1, (%rbx)
	movaps	16(%r14), %xmm1
	divps	%xmm5, %xmm1
	movups	%xmm1, 16(%rbx)
	divps	%xmm2, %xmm0
	movlps	%xmm0, 32(%rbx)
	addq	$32, %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	retq
.Lfunc_end3:
	.size	digits_classify_kernel_x86_64_v2, .Lfunc_end3-digits_classify_kernel_x86_64_v2

	.hidden	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c
	.hidden	digits_weights_6a6edbd71108b2bb8c5c135950f770b8
	.section	".note.GNU-stack","",@progbits
