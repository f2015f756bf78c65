#!/usr/bin/env python3
"""Runs a CUDA test file on the CPU; README.md beside this file says what that shows.

Arguments after the file go to doctest.
"""
# SPDX-License-Identifier: Apache-2.0
import argparse
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
# The runtime's functions that succeed without doing anything, and those that say that they cannot.
DONE = '''cudaDeviceEnablePeerAccess cudaDeviceSynchronize cudaEventDestroy cudaEventQuery cudaEventRecord
cudaEventSynchronize cudaFuncSetAttribute cudaGetLastError cudaMemPoolSetAccess cudaMemPoolSetAttribute
cudaMemPoolTrimTo cudaSetDevice cudaStreamDestroy cudaStreamQuery cudaStreamSynchronize cudaStreamWaitEvent
cudaThreadExchangeStreamCaptureMode'''.split()
REFUSED = '''cudaDeviceGetPCIBusId cudaGraphDestroy cudaGraphDestroyNode cudaGraphExecDestroy
cudaGraphExecKernelNodeSetParams cudaGraphGetNodes cudaGraphGetRootNodes cudaGraphInstantiate cudaGraphLaunch
cudaGraphNodeGetType cudaLaunchCooperativeKernel cudaMemcpyPeerAsync cudaOccupancyMaxActiveClusters
cudaStreamBeginCapture cudaStreamEndCapture'''.split()
# What kernels include of libraries whose kernels do not run here, and what stands in for it.
EMPTY = ['cub/util_ptx.cuh']
DEVICE = '''cub/agent/single_pass_scan_operators.cuh cub/device/device_radix_sort.cuh
cub/device/device_select.cuh thrust/iterator/counting_iterator.h'''.split()
ASM = re.compile(r'\basm(?:\s+volatile)?\s*\((?:[^;"]|"(?:[^"\\]|\\.)*")*?\)\s*;')
# PTX that kernels.hpp, or C++, has something for.
KNOWN = {
    'shfl.sync.down.b32': 'word = __shfl_down_sync(~0U, word, distance);',
    'mma.sync.aligned.m16n8k8.row.col.f32.tf32': 'on_cpu::multiply_tf32(c, a, b0, b1);',
    'ldmatrix.sync.aligned.m8n8.x4.shared.b16': 'on_cpu::load_matrices(word, row);',
    'cvt.rna.tf32.f32': 'bits = on_cpu::rounded_to_tf32(x);',
    'ex2.approx.ftz.f32': 'y = std::exp2(x);',
}
HINT = re.compile(r'\(\s*"("|prefetch)')
DYNAMIC = re.compile(r'extern __shared__ (?:__align__\(\w+\) )?([\w: ]+?) (\w+)\[\];')


def translated(text):
    """A header of kernels, as C++: without PTX, which is a hint or not for this device."""
    def instead(m):
        known = [code for ptx, code in KNOWN.items() if f'"{ptx}' in m.group(0)]
        return known[0] if known else ';' if HINT.search(m.group(0)) else 'std::abort();'
    text = ASM.sub(instead, text)
    text = text.replace('reinterpret_cast<const void*>(', 'on_cpu::address(')
    text = DYNAMIC.sub(r'\1* const \2 = reinterpret_cast<\1*>(on_cpu::shared_memory());', text)
    text = re.sub(r'__shared__ alignas\((\w+)\) ', r'__shared__ __align__(\1) ', text)
    return re.sub(r'^(\s*)__shared__ ', r'\1static __shared__ ', text, flags=re.M)


def write(path, text):
    """Writes what has changed, so that nothing else is compiled again."""
    if path.exists() and path.read_text() == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('file', help='a test file, from the tree on')
    parser.add_argument('--tree', type=pathlib.Path, default=HERE.parent.parent)
    parser.add_argument('--out', type=pathlib.Path, default=pathlib.Path('build/cuda_on_cpu'))
    parser.add_argument('--cuda', default='/usr/local/cuda', help="the toolkit, for its headers")
    parser.add_argument('-O', dest='optimise', default='1')
    options, doctest = parser.parse_known_args()

    for top in ('include', 'tests'):
        for source in (options.tree / top).rglob('*.?pp'):
            inside = source.relative_to(options.tree)
            text = source.read_text()
            for_gpus = 'cuda' in inside.parts or inside.name == 'ptx.hpp'
            write(options.out / inside, translated(text) if for_gpus else text)
    for header in EMPTY:
        write(options.out / 'empty' / header, '#pragma once\n')
    for header in DEVICE:
        write(options.out / 'empty' / header, f'#pragma once\n#include "{HERE / "cub_device.hpp"}"\n')
    stubs = [f'extern "C" int {name}() {{ return {code}; }}' for names, code in ((DONE, 0), (REFUSED, 801))
             for name in names]
    write(options.out / 'stubs.cpp', '\n'.join(stubs) + '\n')

    compiler = ['clang++', '-std=c++20', f'-O{options.optimise}', '-w', f'-I{options.out}/empty',
                f'-I{options.out}/include', f'-I{options.out}/tests', f'-I{options.cuda}/include']
    program = options.out / options.file.replace('/', '_').replace('.cpp', '')
    objects = []
    for source, before in ((options.out / options.file, ['-include', str(HERE / 'kernels.hpp')]),
                           (options.out / 'tests/main.cpp', []), (HERE / 'runtime.cpp', []),
                           (options.out / 'stubs.cpp', [])):
        name = program.name if before else source.stem
        objects.append(options.out / f'{name}.o')
        if not before and objects[-1].exists() and objects[-1].stat().st_mtime > source.stat().st_mtime:
            continue
        subprocess.run([*compiler, *before, '-c', str(source), '-o', str(objects[-1])], check=True)
    subprocess.run(['clang++', *map(str, objects), '-o', str(program), '-ldl', '-pthread', '-lz'], check=True)
    return subprocess.run([str(program.resolve()), *doctest], check=False).returncode


if __name__ == '__main__':
    sys.exit(main())
