// Machine-learning attackers on the protection, before anything is published.
import { attacksSection } from "../report/attacks";
import { isNumber, list, type Attack, type Audit, type Facts } from "../report/facts";
import { measuresOf } from "../report/measures";
import { measure } from "../report/numbers";
import { utilitySection } from "../report/utility";
import { judge } from "../report/verdict";
import { Elsewhere, Help, JobState, Note, ReportParts, Run, Slider, useStepTitle } from "./parts";
import { store, useStore } from "./store";
import { numberOf } from "./values";

type Lamp = "failed" | "passes" | "open" | "not_measured";
const MARKS: Record<Lamp, string> = { failed: "\u2717", passes: "\u2713", open: "!", not_measured: "?" };

/** Of the attacks of one scenario: one that gains is a failure, one that shows something and finds nothing a pass. */
function lampOf(audit: Audit, scenario: string): { lamp: Lamp; text: string } {
  const attacks = list(audit.attacks).filter((attack: Attack) => attack.scenario === scenario);
  if (!attacks.length) return { lamp: "not_measured", text: "not measured" };
  const main = measuresOf(audit).find((one) => one.main) ?? measuresOf(audit)[0];
  const found = attacks.map((attack) => ({ attack, ...judge(main.of(attack), main.gainUnit) }));
  const gains = found.find((one) => one.verdict === "gains");
  const shown = gains ?? found.find((one) => one.verdict !== "shows nothing here" && one.verdict !== "not measured") ?? found[0];
  const lamp: Lamp = gains
    ? "failed"
    : shown.verdict === "shows nothing here"
      ? "open"
      : shown.verdict === "not measured"
        ? "not_measured"
        : "passes";
  return { lamp, text: `${shown.attack.attacker}: ${shown.words}` };
}

/** The attacker who knows everything has no model that could fail: its error is exact, and whether it is large enough is not ours to say. */
function informedLamp(facts: Facts): { lamp: Lamp; text: string } {
  const informed = facts.audit?.informed;
  if (!isNumber(informed?.error) || !isNumber(informed.group_only)) return { lamp: "not_measured", text: "not measured" };
  return {
    lamp: "open",
    text: `Its error is ${measure(informed.error)}; by the group alone it would be ${measure(informed.group_only)}. No attacker who sees only this release can do better. How much is too much is for you to judge.`,
  };
}

function Lamps({ facts }: { facts: Facts }) {
  const audit = facts.audit ?? {};
  const lamps = [
    { title: "An attacker who trained on other people", what: "scenario I", ...lampOf(audit, "I") },
    { title: "An attacker who knows a part of the release", what: "scenario II", ...lampOf(audit, "II") },
    { title: "An attacker who knows everything but whose row is whose", what: "the informed attacker", ...informedLamp(facts) },
  ];
  return (
    <>
      {lamps.map(({ title, what, lamp, text }) => (
        <div class={`light ${lamp}`} key={title}>
          <h3>
            <span class="lamp" aria-hidden="true">
              {MARKS[lamp]}
            </span>{" "}
            {title} <span class="muted">({what})</span>
          </h3>
          <p>{text}</p>
        </div>
      ))}
    </>
  );
}

export function AttackStep() {
  const { spec } = useStore();
  useStepTitle("Attack");
  if (!spec) return <Note>Choose your data first: step Data.</Note>;
  const version = spec.version ?? "N";
  const fit = store.result("fit");
  const found = store.result("audit");
  const releases = numberOf(spec.values, "audit.releases") ?? 4;
  return (
    <>
      <section class="card">
        <h3>Attack it before others do</h3>
        <p>
          The program trains attackers on the protected features and compares their errors with guesses from the group alone, and it
          measures what the release is still good for. Nothing is published by this.
        </p>
        {!fit && (
          <Note>
            There is nothing to attack yet: compute the protection of this version first.{" "}
            <button type="button" class="link" onClick={() => store.go("tradeoff")}>
              To the trade-off
            </button>
          </Note>
        )}
        {fit && !found && (
          <>
            <Slider
              label="Repetitions, each with a new draw"
              value={releases}
              low={2}
              high={20}
              left="quick, wide intervals"
              right="slow, narrow intervals"
              text={String(releases)}
              disabled
              help={<p class="muted">Set audit.releases in the spec to change it.</p>}
              onInput={() => undefined}
            />
            <Run kind="audit">Attack</Run>
          </>
        )}
        <JobState kind="audit" />
        {found && <Lamps facts={found.facts} />}
        <Help title="What the lamps mean">
          <p>
            &#10007;: the interval of the attacker&rsquo;s gain lies above 0. &#10003;: no gain could be measured, though the same attack
            gains on true features. !: the attack shows nothing on this data, or it is for you to judge. ?: it was not measured. Attacks
            show what these attackers found, and no more; the leakage in bits bounds every attacker on average.
          </p>
        </Help>
      </section>
      {found && (
        <section class="card">
          <ReportParts sections={[attacksSection(found.facts), utilitySection(found.facts)]} key={found.seconds} />
        </section>
      )}
      <Elsewhere
        command={`hyobscure audit spec-${version}.toml release-${version} -m mechanism-${version}.json`}
        python={`import hyobscure\n\nmodel = hyobscure.load("mechanism-${version}.json", spec="spec-${version}.toml")\nprint(hyobscure.audit(model).to_frame())`}
      />
    </>
  );
}
