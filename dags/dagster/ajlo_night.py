"""One night of ajlo as Dagster assets with a partition a day.

Each asset is a call of the program, which decides everything: facts of the logs in shards, the
plan, and the layout where the workload has drifted; a quiet night shows it as skipped. The figures
of each are its metadata, which Dagster plots over the nights; what was measured of the layout are
its checks. Every step can be retried: what was done is not done again. Where the config asks for a
person's leave (approval: required) the layout waits: materialize it alone, with the person's name.

    dagster dev -f ajlo_night.py

The program and its config have to be where runs are; state and facts on a disk that all of them
see, or in object storage (s3://bucket/facts). The window of a partition's night ends with the
partition.
"""

# No "from __future__ import annotations": Dagster reads the annotations of what it decorates.
import json
import os
import subprocess
import threading

import dagster as dg

# Exit codes after which trying again changes nothing.
FINAL = {2: "usage or config", 5: "refused before anything ran", 6: "verification failed"}
OTHERS = {1: "failed", 3: "applied in part", 4: "another run holds the lease"}

# A killed run's lease ends after five minutes, on another machine than its own.
RETRY = dg.RetryPolicy(max_retries=2, delay=int(os.environ.get("AJLO_RETRY_SECONDS", "330")))

nights = dg.DailyPartitionsDefinition(start_date="2026-01-01")


class Ajlo(dg.ConfigurableResource):
    """The program and its surroundings."""

    binary: str = "ajlo"
    config: str = os.environ.get("AJLO_CONFIG", "/etc/ajlo/ajlo.yaml")
    facts: str = "/var/lib/ajlo/dagster"
    shards: int = 4

    def __call__(self, context, command: str, *arguments: str) -> str:
        """Calls the program with the config, and gives what it printed."""
        try:
            process = subprocess.Popen(
                [self.binary, *command.split(), "--config", self.config, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
        except OSError as error:
            raise dg.Failure(f"ajlo cannot be started ({error}): install it where runs are, and give its path as the resource's binary", allow_retries=False)
        said = [""]

        def listen() -> None:
            for line in process.stderr:
                said[0] = line.strip() or said[0]
                context.log.info(said[0])

        listener = threading.Thread(target=listen)
        listener.start()
        try:
            printed = process.stdout.read()
            code = process.wait()
        except BaseException:  # the run was told to stop: so is the program, which ends its step
            process.terminate()
            process.wait()
            raise
        finally:
            listener.join()
        if code:
            why = FINAL.get(code) or OTHERS.get(code, "killed")
            raise dg.Failure(f"ajlo ended with {code}, {why}: {said[0]}", allow_retries=code not in FINAL)
        return printed

    def folder(self, context) -> str:
        return os.path.join(self.facts, context.partition_key)


def now(context) -> str:
    return context.partition_time_window.end.isoformat()


def figures(result: dict) -> dict:
    """The main figures of a run, as metadata: numbers are plotted."""
    plan = result.get("plan") or {}
    kept = ("trigger", "rewrite_bytes", "saved_bytes_per_window", "npv_bytes", "gap")
    told = {"run": result["run"], "outcome": result["outcome"], "steps": len(plan.get("steps", []))}
    told |= {name: plan[name] for name in kept if name in plan}
    told |= {"drift_" + d["reference"]: float(d["score"]) for d in plan.get("drift", []) if d.get("score") is not None}
    told["tables"] = dg.MetadataValue.md("\n".join(f"- {t['table']}: {t['reason']}" for t in plan.get("tables", [])) or "none")
    return told


@dg.op(out=dg.DynamicOut(str), retry_policy=RETRY)
def shards(context: dg.OpExecutionContext, ajlo: Ajlo):
    for part in range(1, ajlo.shards + 1):
        yield dg.DynamicOutput(f"{part}/{ajlo.shards}", mapping_key=str(part))


@dg.op(retry_policy=RETRY)
def read_shard(context: dg.OpExecutionContext, ajlo: Ajlo, shard: str) -> dict:
    return json.loads(ajlo(context, "facts", "--now", now(context), "--shard", shard, "--parquet", ajlo.folder(context), "--json"))


@dg.op
def together(context: dg.OpExecutionContext, ajlo: Ajlo, read: list[dict]) -> str:
    told = {name: sum(shard[name] for shard in read) for name in ("applications", "queries")}
    context.add_output_metadata({"shards": len(read), **told})
    return ajlo.folder(context)


@dg.graph_asset(partitions_def=nights, group_name="ajlo")
def facts() -> str:
    """What the window's logs say, one file an application."""
    return together(shards().map(read_shard).collect())


@dg.asset(partitions_def=nights, group_name="ajlo", retry_policy=RETRY)
def plan(context: dg.AssetExecutionContext, ajlo: Ajlo, facts: str) -> dict:
    """What the night would change, and why."""
    result = json.loads(ajlo(context, "run", "--now", now(context), "--facts", facts, "--dry-run", "--json"))
    context.add_output_metadata(figures(result))
    ajlo(context, "facts", "--facts", facts, "--discard")  # they hold literals of queries
    wanted = ("outcome", "plan_file", "plan_sha256", "awaits_approval")
    return {name: result.get(name) for name in wanted}


class Leave(dg.Config):
    """A person's leave, where the config asks for one."""

    approved_by: str = ""
    approved_until: str = ""


@dg.asset(
    partitions_def=nights,
    group_name="ajlo",
    retry_policy=RETRY,
    output_required=False,
)
def layout(context: dg.AssetExecutionContext, ajlo: Ajlo, plan: dict, config: Leave):
    """The tables, laid as planned."""
    if plan["outcome"] != "dry_run":
        context.log.info(f"nothing to do: {plan['outcome']}")
        return
    leave = []
    if plan["awaits_approval"]:
        if not config.approved_by:
            context.log.warning(f"plan {plan['plan_sha256']} in {plan['plan_file']} waits for a person's leave: materialize layout with approved_by and approved_until")
            return
        leave = ["--approved-plan", plan["plan_sha256"], "--approved-by", config.approved_by, "--approved-until", config.approved_until]
    result = json.loads(ajlo(context, "apply", plan["plan_file"], "--json", *leave))
    changes = json.loads(ajlo(context, "audit changes", "--since", now(context)[:10], "--json"))
    yield dg.Output(result["outcome"], metadata=figures(result) | {
        "rewritten_bytes": sum(c["rewritten_bytes"] for c in changes),
        "report": dg.MetadataValue.md("```\n" + ajlo(context, "audit", "--since", now(context)[:10]) + "```"),
    })  # fmt: skip


def view(context, ajlo: Ajlo, name: str, *arguments: str) -> list[dict]:
    """A view of the audit."""
    return json.loads(ajlo(context, "audit " + name, "--json", *arguments))


@dg.asset_check(asset="plan", description="Later queries have found no change to harm them.")
def none_harmed(context: dg.AssetCheckExecutionContext, ajlo: Ajlo) -> dg.AssetCheckResult:
    """Of the plan, since every night judges earlier changes, also one that lays nothing."""
    verdicts = view(context, ajlo, "verdicts")
    harmed = [f"{v['table_name']} in night {v['night']}" for v in verdicts if v["verdict"] == "harmed"]
    return dg.AssetCheckResult(passed=not harmed, severity=dg.AssetCheckSeverity.WARN, metadata={"verdicts": len(verdicts), "harmed": harmed})


@dg.multi_asset_check(
    specs=[
        dg.AssetCheckSpec("verified", asset="layout", description="No run of the night found that a step changed a row or was not recorded."),
        dg.AssetCheckSpec("measured", asset="layout", description="What each change was promised and did."),
    ]
)
def verification(context: dg.AssetCheckExecutionContext, ajlo: Ajlo):
    since = ("--since", now(context)[:10])
    runs, changes = view(context, ajlo, "runs", *since), view(context, ajlo, "changes", *since)
    promised = {c["table_name"]: f"promised {c['promised_saved_bytes_per_window']} bytes less; {c['effects']}" for c in changes}
    for check, passed, severity, metadata in (
        ("verified", all(r["outcome"] != "verification_failed" for r in runs), dg.AssetCheckSeverity.ERROR, {r["run"]: r["outcome"] for r in runs}),
        ("measured", all(c["effects"] for c in changes), dg.AssetCheckSeverity.WARN, promised),
    ):
        yield dg.AssetCheckResult(asset_key="layout", check_name=check, passed=passed, severity=severity, metadata=metadata)


ajlo_night = dg.define_asset_job("ajlo_night", selection=dg.AssetSelection.groups("ajlo"), partitions_def=nights)

defs = dg.Definitions(
    assets=[facts, plan, layout],
    asset_checks=[none_harmed, verification],
    jobs=[ajlo_night],
    schedules=[dg.build_schedule_from_partitioned_job(ajlo_night, hour_of_day=2, minute_of_hour=30)],
    resources={"ajlo": Ajlo()},
)
