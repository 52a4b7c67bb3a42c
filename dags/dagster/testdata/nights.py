"""Runs the job in process, once for each night that is asked for on standard input, and prints as
its last line what became of them as JSON.

In: [{"partition", "resource", "run_config", "only"}]; out: [{"success", "steps", "metadata", "checks", "failures"}]
"""

import json
import os
import sys
from datetime import datetime, timezone

import dagster as dg
from dagster._core.test_utils import freeze_time

sys.path.insert(0, sys.argv[1])
import ajlo_night  # noqa: E402


def plain(values: dict) -> dict:
    return {name: value.value for name, value in values.items()}


def run(night: dict) -> dict:
    definitions = dg.Definitions(
        assets=ajlo_night.defs.assets, asset_checks=ajlo_night.defs.asset_checks, jobs=ajlo_night.defs.jobs,
        resources={"ajlo": ajlo_night.Ajlo(**night["resource"])},
    )  # fmt: skip
    selected = [dg.AssetKey(name) for name in night.get("only", [])] or None
    result = definitions.resolve_job_def("ajlo_night").execute_in_process(
        instance=instance, partition_key=night["partition"], run_config=night.get("run_config"), asset_selection=selected, raise_on_error=False
    )
    steps, metadata, checks, failures = {}, {}, {}, []
    for event in result.all_events:
        if event.is_step_success or event.is_step_failure or event.is_step_skipped:
            steps[event.step_key] = event.event_type_value.removeprefix("STEP_").lower()
        if event.is_step_failure:
            failures.append(event.event_specific_data.error_display_string)
        if event.event_type_value == "ASSET_MATERIALIZATION":
            metadata[event.asset_key.to_user_string()] = plain(event.materialization.metadata)
    for check in result.get_asset_check_evaluations():
        checks[check.check_name] = {"passed": check.passed, "metadata": plain(check.metadata)}
    retries = sum(event.is_step_up_for_retry for event in result.all_events)
    return {"success": result.success, "steps": steps, "metadata": metadata, "checks": checks, "failures": failures, "retries": retries}


os.makedirs(sys.argv[2], exist_ok=True)
# A partition is there once its day is over, whatever day it is here.
with freeze_time(datetime(2027, 1, 1, tzinfo=timezone.utc)), dg.DagsterInstance.local_temp(sys.argv[2]) as instance:
    nights = [run(night) for night in json.load(sys.stdin)]
print("\n" + json.dumps(nights, default=str))
