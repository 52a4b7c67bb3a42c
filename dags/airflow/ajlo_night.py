"""One night of ajlo as a DAG for Airflow 3.1.

Each task is a call of the program, which decides everything: facts of the logs in shards, the
plan, a person's leave where the config asks for one (approval: required), apply, what was
measured, and a report. A night without drift shows its changing tasks as skipped. Every task can
be retried: what was done is not done again. The figures of each task are its XCom.

Put this file into the DAGs folder, and the program with its config on the workers. State and facts
have to be on a disk that all workers see, or in object storage (s3://bucket/facts).
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import threading
from datetime import datetime, timedelta, timezone

from airflow.exceptions import AirflowException, AirflowFailException
from airflow.providers.standard.operators.hitl import ApprovalOperator
from airflow.sdk import Param, dag, get_current_context, task

log = logging.getLogger("airflow.task")

# Exit codes after which trying again changes nothing: usage or config, a refusal, rows or effects
# that are not as they must be.
FINAL = {2: "usage or config", 5: "refused before anything ran", 6: "verification failed"}
OTHERS = {1: "failed", 3: "applied in part", 4: "another run holds the lease"}

# A killed run's lease ends after five minutes, on another machine than its own.
RETRY_AFTER = timedelta(seconds=int(os.environ.get("AJLO_RETRY_SECONDS", "330")))


def ajlo(*arguments: str) -> str:
    """Calls the program, and gives what it printed."""
    command = [get_current_context()["params"]["binary"], *arguments]
    try:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    except OSError as error:
        raise AirflowFailException(f"ajlo cannot be started ({error}): put it on the workers, and its path into the parameter 'binary'")
    said = [""]

    def listen() -> None:
        for line in process.stderr:
            said[0] = line.strip() or said[0]
            log.info("%s", said[0])

    listener = threading.Thread(target=listen)
    listener.start()
    try:
        printed = process.stdout.read()
        code = process.wait()
    except BaseException:  # the task was told to stop: so is the program, which ends its step
        process.terminate()
        process.wait()
        raise
    finally:
        listener.join()
    if code in FINAL:
        raise AirflowFailException(f"ajlo ended with {code}, {FINAL[code]}: {said[0]}")
    if code:
        raise AirflowException(f"ajlo ended with {code}, {OTHERS.get(code, 'killed')}: {said[0]}")
    return printed


def window_end() -> datetime:
    """When the night is due, which a retry does not change."""
    context = get_current_context()
    return context.get("data_interval_end") or context["dag_run"].run_after


def night() -> str:
    return window_end().astimezone(timezone.utc).strftime("%Y-%m-%d")


def config() -> list[str]:
    return ["--config", get_current_context()["params"]["config"]]


def facts_folder() -> str:
    return os.path.join(get_current_context()["params"]["facts"], window_end().strftime("%Y%m%dT%H%M%S"))


def figures(result: dict) -> dict:
    """The main figures of a run, for XCom."""
    plan = result.get("plan") or {}
    kept = ("trigger", "budget_bytes", "rewrite_bytes", "saved_bytes_per_window", "npv_bytes", "gap")
    return {
        "run": result["run"],
        "outcome": result["outcome"],
        "plan_file": result.get("plan_file"),
        "plan_sha256": result.get("plan_sha256"),
        "awaits_approval": result.get("awaits_approval", False),
        "steps": [{"table": s["table"], "status": s["status"]} for s in result["steps"]],
        "planned": [s["table"] for s in plan.get("steps", [])],
        "drift": {d["reference"]: d.get("score") for d in plan.get("drift", [])},
        **{name: plan[name] for name in kept if name in plan},
    }


@dag(
    dag_id="ajlo_night",
    description="Lays the lake's tables anew where the workload has drifted.",
    schedule="30 2 * * *",
    start_date=datetime(2026, 1, 1, tzinfo=timezone.utc),
    catchup=False,  # windows overlap: the latest night stands for those that were missed
    max_active_runs=1,
    default_args={"owner": "ajlo", "retries": 2, "retry_delay": RETRY_AFTER},
    params={
        "config": Param(os.environ.get("AJLO_CONFIG", "/etc/ajlo/ajlo.yaml"), type="string", description="The config file."),
        "binary": Param("ajlo", type="string", description="The program, by name or path."),
        "facts": Param("/var/lib/ajlo/airflow", type="string", description="Where facts lie between reading logs and planning: a folder, or a URL such as s3://bucket/facts."),
        "shards": Param(4, type="integer", minimum=1, maximum=256, description="Tasks that read the logs."),
        "approval_hours": Param(12, type="integer", minimum=1, maximum=168, description="How long a person's leave holds."),
    },
    tags=["ajlo"],
    doc_md=__doc__,
)
def ajlo_night():
    @task
    def shards() -> list[str]:
        """How the reading of logs is shared."""
        count = get_current_context()["params"]["shards"]
        return [f"{part}/{count}" for part in range(1, count + 1)]

    @task(map_index_template="{{ task.op_kwargs['shard'] }}")
    def facts(shard: str) -> dict:
        """What the window's logs say, one part of the applications."""
        printed = ajlo("facts", *config(), "--now", window_end().isoformat(), "--shard", shard, "--parquet", facts_folder(), "--json")
        return {"shard": shard, **json.loads(printed)}

    @task
    def plan() -> dict:
        """What the night would change, and why."""
        printed = ajlo("run", *config(), "--now", window_end().isoformat(), "--facts", facts_folder(), "--dry-run", "--json")
        return figures(json.loads(printed))

    @task.branch
    def drifted(planned: dict) -> str:
        """Whether anything is to be done: else only the report follows."""
        if planned["outcome"] != "dry_run":
            return "report"
        return "approve" if planned["awaits_approval"] else "apply"

    @task(trigger_rule="none_failed_min_one_success")
    def apply(planned: dict) -> dict:
        """The tables, laid as planned."""
        context = get_current_context()
        leave = []
        if planned["awaits_approval"]:
            answer = context["ti"].xcom_pull(task_ids="approve")
            hours = timedelta(hours=context["params"]["approval_hours"])
            answered = datetime.fromisoformat(str(answer["responded_at"]))
            leave = [
                "--approved-plan", planned["plan_sha256"],
                "--approved-by", answer["responded_by_user"]["name"],
                "--approved-until", (answered + hours).isoformat(),
            ]  # fmt: skip
        printed = ajlo("apply", *config(), planned["plan_file"], "--json", *leave)
        return figures(json.loads(printed))

    @task
    def verify() -> list[dict]:
        """What each change was promised, and what it was measured to do."""
        printed = ajlo("audit", "changes", *config(), "--since", night(), "--json")
        told = ("table_name", "layout", "promised_saved_bytes_per_window", "rewritten_bytes", "row_count", "effects", "approved_by")
        return [{name: change[name] for name in told} for change in json.loads(printed)]

    @task(trigger_rule="none_failed")
    def report() -> str:
        """What the night did, as an auditor reads it; the facts are deleted."""
        printed = ajlo("audit", *config(), "--since", night())
        log.info("%s", printed)
        ajlo("facts", *config(), "--facts", facts_folder(), "--discard")  # they hold literals of queries
        return printed

    planned = plan()
    approve = ApprovalOperator(
        task_id="approve",
        subject="Rewrite {{ ti.xcom_pull(task_ids='plan')['planned'] | join(', ') }}?",
        body=(
            "Plan {{ ti.xcom_pull(task_ids='plan')['plan_sha256'] }}, in {{ ti.xcom_pull(task_ids='plan')['plan_file'] }}: "
            "{{ ti.xcom_pull(task_ids='plan')['rewrite_bytes'] }} bytes are rewritten so that "
            "{{ ti.xcom_pull(task_ids='plan')['saved_bytes_per_window'] }} fewer are read a window."
        ),
        response_timeout=timedelta(hours=12),
    )
    branch, applied, reported = drifted(planned), apply(planned), report()
    facts.expand(shard=shards()) >> planned
    branch >> [approve, applied, reported]
    approve >> applied >> verify() >> reported


ajlo_night()
