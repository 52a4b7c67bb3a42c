"""bench-merge-source's two merges; see there.

    bench_merge_source.py FOLDER MEMORY
"""
import json
import os
import shutil
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from deltalake import write_deltalake

ON = ['l_orderkey', 'l_linenumber']
MB = 1_000_000
# A process of delta-rs's own, so that its peak is its merge's.
PEER = '''
import sys
import pyarrow.dataset
from deltalake import DeltaTable
done = (DeltaTable(sys.argv[1]).merge(pyarrow.dataset.dataset(sys.argv[2]).scanner().to_reader(),
        predicate='t.l_orderkey = s.l_orderkey AND t.l_linenumber = s.l_linenumber', source_alias='s', target_alias='t')
        .when_matched_update_all().execute())
print(done['num_target_rows_updated'])
'''


def make(folder):
    if os.path.isdir(f'{folder}/source'):
        return
    rows = pq.read_table(f'{folder}/tpch/lineitem')
    rows = rows.cast(pa.schema([pa.field(f.name, pa.string() if pa.types.is_string_view(f.type) else f.type) for f in rows.schema]).remove_metadata())
    write_deltalake(f'{folder}/lineitem', rows, target_file_size=16 * MB)
    comment = rows.schema.get_field_index('l_comment')
    rows = rows.set_column(comment, 'l_comment', pc.binary_join_element_wise(rows['l_comment'], 'changed', ' '))
    os.makedirs(f'{folder}/source.part')
    step = -(-rows.num_rows // 8)
    for i in range(8):
        pq.write_table(rows.slice(i * step, step), f'{folder}/source.part/{i}.parquet')
    os.rename(f'{folder}/source.part', f'{folder}/source')


def watched(command):
    """Runs a command; gives what it printed, seconds, and its peaks in MB: own memory, and all that is mapped."""
    began, own, peak = time.time(), 0, 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        status = {}
        while process.poll() is None:
            try:
                with open(f'/proc/{process.pid}/status') as f:
                    status = dict(line.split(':', 1) for line in f) or status
            except (FileNotFoundError, ProcessLookupError):
                break
            own = max(own, int(status.get('RssAnon', '0 kB').split()[0]) / 1000)
            peak = max(peak, int(status.get('VmHWM', '0 kB').split()[0]) / 1000)  # gone when the process is
            time.sleep(0.02)
        printed = process.stdout.read()
    if process.returncode:
        sys.exit(f'{command[0]} failed')
    return printed, time.time() - began, own, peak


def main(folder, memory):
    os.environ['TMPDIR'] = f'{folder}/spill'  # where the source waits
    make(folder)
    size = sum(os.path.getsize(f'{folder}/source/{name}') for name in os.listdir(f'{folder}/source'))
    arrow = sum(pq.read_table(f'{folder}/source/{name}').nbytes for name in os.listdir(f'{folder}/source'))
    print(f'source: {size / MB:.0f} MB as Parquet, {arrow / MB:.0f} MB as Arrow; limit of ajlo {memory}')
    for name in ('ajlo', 'delta-rs'):
        shutil.rmtree(f'{folder}/{name}.table', ignore_errors=True)
        shutil.copytree(f'{folder}/lineitem', f'{folder}/{name}.table')
    printed, seconds, own, peak = watched([f'{folder}/ajlo', 'merge', '--into', f'{folder}/ajlo.table', '--source', f'{folder}/source', '--on', ','.join(ON),
                                           '--when-matched', 'update', '--memory', memory, '--json'])
    print(f'ajlo      {seconds:6.1f} s, peak {own:5.0f} MB of its own, {peak:5.0f} MB with what is mapped; {json.loads(printed)["plan"]["rows"]["updated"]} rows updated')
    printed, seconds, own, peak = watched([sys.executable, '-c', PEER, f'{folder}/delta-rs.table', f'{folder}/source'])
    print(f'delta-rs  {seconds:6.1f} s, peak {own:5.0f} MB of its own, {peak:5.0f} MB with what is mapped; {printed.strip()} rows updated')
    for name in ('ajlo', 'delta-rs'):
        shutil.rmtree(f'{folder}/{name}.table')


if __name__ == '__main__':
    main(*sys.argv[1:])
