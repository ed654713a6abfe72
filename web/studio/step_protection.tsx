// Groups, their limits, and what else protects a person; whether it can be met is said while the sliders move.
import { useEffect, useState } from "preact/hooks";
import { groupsSection } from "../report/groups";
import { count, counted, measure } from "../report/numbers";
import { GroupBars, canMove } from "./group_bars";
import { Elsewhere, Help, JobState, Note, Problem, ReportParts, Select, Slider, useStepTitle } from "./parts";
import { store, useStore } from "./store";
import { numberOf, pair, pairOf, textOf, textsOf } from "./values";

/** Follows the hand at once, and the server when it rests. */
function useDraft<T>(value: T): [T, (value: T) => void] {
  const [draft, setDraft] = useState(value);
  const key = JSON.stringify(value);
  useEffect(() => setDraft(value), [key]);
  return [draft, setDraft];
}

let waiting: ReturnType<typeof setTimeout> | undefined;
function changeSoon(set: Record<string, string | null>): void {
  clearTimeout(waiting);
  waiting = setTimeout(() => void store.change(set), 200);
}

/** The nearest limits, each taken by itself, for as many groups as are asked for. */
function nearest(groups: number, people: [number, number], values: [number, number]): Record<string, string> | undefined {
  const option = store.result("inspect")?.options.find((one) => one.groups === groups);
  if (!option) return undefined;
  const k = Math.min(people[0], option.largest_k);
  const l = Math.min(values[0], option.largest_l);
  return {
    "groups.count": String(groups),
    "groups.people": pair(k, Math.max(people[1], option.smallest_alpha, k)),
    "groups.values": pair(l, Math.max(values[1], option.smallest_beta, l)),
  };
}

function Feasibility({ groups, people, values }: { groups: number; people: [number, number]; values: [number, number] }) {
  const { limits, spec } = useStore();
  const recommendation = store.result("inspect")?.recommendation;
  if (!limits) return <p class="muted">Looking whether these limits can be met ...</p>;
  if (!limits.known && !limits.error)
    return (
      <Note>
        The data was read with other settings, or before the studio was started again.{" "}
        <button type="button" class="link" onClick={() => void store.run("inspect")}>
          Inspect it again
        </button>{" "}
        to see at once which limits can be met.
      </Note>
    );
  if (limits.error) {
    const near = nearest(groups, people, values);
    return (
      <Problem error={limits.error}>
        <p class="buttons">
          {near && (
            <button type="button" class="main" onClick={() => void store.change({ ...near, "groups.fixed": null })}>
              Take the nearest: {near["groups.people"]} people, {near["groups.values"]} values
            </button>
          )}
          {recommendation && (
            <button type="button" class="quiet" onClick={() => takeRecommended()}>
              Take the recommended groups and limits
            </button>
          )}
        </p>
      </Problem>
    );
  }
  const { extremes } = limits;
  const made = limits.groups?.length ?? 0;
  const inARow = limits.histogram?.every((cell) => typeof cell.value === "number"); // of others only what can be had is known
  return (
    <Note kind="good">
      <b>{counted(made, "group", "groups")} can be formed.</b>{" "}
      {extremes &&
        `With ${made} groups, every group can have at least ${count(extremes.largest_k)} people, or at least ${count(extremes.largest_l)} values.`}
      {extremes &&
        inARow &&
        ` The largest group has at least ${count(extremes.smallest_alpha)} people, the widest at least ${count(extremes.smallest_beta)} values.`}{" "}
      {!spec?.values["groups.fixed"] && "These are the first groups: the computation may still move the borders where that leaks less."}
    </Note>
  );
}

function takeRecommended(): void {
  const recommended = store.result("inspect")?.recommendation;
  if (!recommended) return;
  void store.change({
    "groups.count": String(recommended.groups),
    "groups.people": pair(...recommended.people),
    "groups.values": pair(...recommended.values),
    "groups.fixed": null,
  });
}

function Groups() {
  const { spec, limits, metLimits } = useStore();
  const inspection = store.result("inspect");
  const values = spec?.values;
  const secret = textOf(values, "people.secret");
  const fixed = values?.["groups.fixed"] !== undefined;
  const [groups, setGroups] = useDraft(numberOf(values, "groups.count") ?? limits?.groups?.length ?? 4);
  const [people, setPeople] = useDraft<[number, number]>(pairOf(values, "groups.people") ?? [2, 1000]);
  const [distinct, setDistinct] = useDraft<[number, number]>(pairOf(values, "groups.values") ?? [2, 100]);
  const all = inspection?.people ?? limits?.people ?? 1000;
  const most = inspection?.values ?? 100;
  const largestCount = Math.max(2, ...(inspection?.options.map((one) => one.groups) ?? [10]));
  const drawn = limits?.known && metLimits ? { ...metLimits, data: { secret } } : undefined;
  return (
    <section class="card">
      <h3>Groups in place of the exact {secret}</h3>
      <p>Every person is published with a group. The larger the groups, the less they say.</p>
      <div class="sliders">
        <Slider
          label="Number of groups"
          value={groups}
          low={1}
          high={largestCount}
          left="fewer: safer"
          right="more: exact"
          text={String(groups)}
          disabled={fixed}
          onInput={(count) => {
            setGroups(count);
            changeSoon({ "groups.count": String(count) });
          }}
        />
        <Slider
          label="Fewest people of a group (k)"
          value={people[0]}
          low={2}
          high={Math.max(3, Math.floor(all / 2))}
          left="small groups may be"
          right="nobody in a small group"
          text={count(people[0])}
          onInput={(k) => {
            const next: [number, number] = [k, Math.max(k, people[1])];
            setPeople(next);
            changeSoon({ "groups.people": pair(...next) });
          }}
        />
        <Slider
          label="Most people of a group (alpha)"
          value={people[1]}
          low={2}
          high={all}
          left="even groups"
          right="any size"
          text={count(people[1])}
          onInput={(alpha) => {
            const next: [number, number] = [Math.min(people[0], alpha), alpha];
            setPeople(next);
            changeSoon({ "groups.people": pair(...next) });
          }}
        />
        <Slider
          label={`Fewest different values of ${secret} in a group (l)`}
          value={distinct[0]}
          low={2}
          high={Math.max(3, Math.floor(most / 2))}
          left="narrow groups may be"
          right="wide groups only"
          text={count(distinct[0])}
          onInput={(l) => {
            const next: [number, number] = [l, Math.max(l, distinct[1])];
            setDistinct(next);
            changeSoon({ "groups.values": pair(...next) });
          }}
        />
        <Slider
          label={`Most different values of ${secret} in a group (beta)`}
          value={distinct[1]}
          low={2}
          high={most}
          left="even groups"
          right="any width"
          text={count(distinct[1])}
          onInput={(beta) => {
            const next: [number, number] = [Math.min(distinct[0], beta), beta];
            setDistinct(next);
            changeSoon({ "groups.values": pair(...next) });
          }}
        />
      </div>
      <Feasibility groups={groups} people={people} values={distinct} />
      {drawn && canMove(drawn) ? (
        <GroupBars
          facts={drawn}
          secret={secret}
          onMove={(moved) => void store.change({ "groups.fixed": JSON.stringify(moved), "groups.count": null })}
        />
      ) : (
        drawn && <ReportParts sections={[groupsSection(drawn)]} />
      )}
      {fixed && (
        <p>
          The groups are yours.{" "}
          <button
            type="button"
            class="quiet"
            onClick={() => void store.change({ "groups.fixed": null, "groups.count": String(limits?.groups?.length ?? 4) })}
          >
            Let the program search them
          </button>
        </p>
      )}
      <Help title="The formula">
        <p>
          Minimise I(Y; X&#8242;, G) over groups and channels, subject to E[distance(X, X&#8242;)] at most the budget, k to alpha people and
          l to beta different values of the secret in every group.
        </p>
      </Help>
    </section>
  );
}

function Rows() {
  const { spec, settings } = useStore();
  const values = spec?.values;
  const rows = settings.find((one) => one.key === "release.rows");
  const method = textOf(values, "method.name", "fine");
  const methods = settings.find((one) => one.key === "method.name");
  const cap = numberOf(values, "channel.max_lift");
  const capHelp = settings.find((one) => one.key === "channel.max_lift")?.help;
  const kept = textsOf(values, "people.keep");
  return (
    <section class="card">
      <h3>Rows</h3>
      <p>
        {kept.length
          ? `Published unchanged: ${kept.join(", ")}. People with the same group and the same kept cells exchange their features.`
          : "No column is published unchanged: people of the same group exchange their features."}
      </p>
      <div class="fields">
        {rows && (
          <Select
            label="Published rows are"
            value={textOf(values, "release.rows", rows.fallback.replaceAll('"', ""))}
            options={rows.choices}
            onChange={(choice) => void store.change({ "release.rows": choice })}
          />
        )}
        {methods && (
          <Select
            label="Method"
            value={method}
            options={methods.choices.length ? methods.choices : ["fine", "exact", "hyobscure"]}
            onChange={(name) => void store.change({ "method.name": name })}
          />
        )}
        <Select
          label="Worst case: no row may raise the share of a value beyond"
          value={cap === undefined ? "" : String(cap)}
          options={[
            { value: "", text: "no limit: averages only" },
            ...[...new Set([...(cap === undefined ? [] : [cap]), 1.5, 2, 3, 5])].map((one) => ({
              value: String(one),
              text: `${measure(one)} times its share`,
            })),
          ]}
          onChange={(factor) => void store.change({ "channel.max_lift": factor || null })}
        />
      </div>
      {capHelp && <Help title="What the worst-case limit does">{capHelp}.</Help>}
    </section>
  );
}

export function ProtectionStep() {
  const { spec } = useStore();
  useStepTitle("Protection");
  if (!spec) return <Note>Choose your data first: step Data.</Note>;
  const version = spec.version ?? "N";
  return (
    <>
      <JobState kind="inspect" />
      <Groups />
      <Rows />
      <Elsewhere
        command={`hyobscure inspect spec-${version}.toml`}
        python={`import hyobscure\n\nfound = hyobscure.inspect(spec="spec-${version}.toml")\nprint(found.facts["options"])`}
      />
    </>
  );
}
