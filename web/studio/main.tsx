// The studio: from a file to a release and its evidence. All that it decides is what to show.
import { render } from "preact";
import { setTheme, watchSystemTheme } from "../report/theme";
import { counted, inBits, measure } from "../report/numbers";
import { EvidenceView } from "./evidence";
import { Problem } from "./parts";
import { AttackStep } from "./step_attack";
import { DataStep } from "./step_data";
import { ProtectionStep } from "./step_protection";
import { PublishStep } from "./step_publish";
import { TradeoffStep } from "./step_tradeoff";
import { JOB_WORDS, STEPS, store, useStore, type Kind, type Step } from "./store";
import { pairOf, textOf } from "./values";

const VIEWS: Record<Step, () => preact.JSX.Element> = {
  data: DataStep,
  protection: ProtectionStep,
  tradeoff: TradeoffStep,
  attack: AttackStep,
  publish: PublishStep,
  evidence: EvidenceView,
};

/** What was chosen so far, a line per step. */
function summaryOf(step: Step): string {
  const { spec } = store.state;
  if (!spec) return "";
  const people = pairOf(spec.values, "groups.people");
  const fit = store.result("fit");
  switch (step) {
    case "data":
      return `secret: ${textOf(spec.values, "people.secret")}`;
    case "protection": {
      const groups = store.state.limits?.groups?.length;
      return people
        ? `${groups ? `${counted(groups, "group", "groups")}, ` : ""}${people[0]} to ${people[1]} people each`
        : "no limits yet";
    }
    case "tradeoff":
      return fit ? `features add ${inBits(fit.leakage_features_bits)} at ${measure(fit.distance)}` : "not computed";
    case "attack":
      return store.result("audit") ? "attacked" : "not attacked";
    case "publish": {
      const found = store.result("publish");
      return found ? (found.verification.passed ? "published, verified" : "published, a check failed") : "not published";
    }
    case "evidence":
      return "";
  }
}

function Steps() {
  const { step, server } = useStore();
  const published = server?.versions.some((one) => one.published);
  return (
    <nav aria-label="Steps" class="steps">
      <ol>
        {STEPS.map(({ id, title }) => (
          <li key={id}>
            <button type="button" aria-current={step === id ? "step" : undefined} onClick={() => store.go(id)}>
              <b>{title}</b>
              <span>{summaryOf(id)}</span>
            </button>
          </li>
        ))}
      </ol>
      {published && (
        <button type="button" class="evidence" aria-current={step === "evidence" ? "page" : undefined} onClick={() => store.go("evidence")}>
          Evidence
        </button>
      )}
    </nav>
  );
}

function Versions() {
  const { spec, server, before, after } = useStore();
  if (!spec) return null;
  const versions = server?.versions ?? [];
  return (
    <div class="versions">
      <button type="button" class="quiet" disabled={!before.length} onClick={() => void store.undo()}>
        Undo
      </button>
      <button type="button" class="quiet" disabled={!after.length} onClick={() => void store.redo()}>
        Redo
      </button>
      {versions.length > 0 && (
        <>
          <label for="version">Version</label>
          <select id="version" value={spec.version ?? ""} onChange={(event) => void store.goTo(Number(event.currentTarget.value))}>
            {spec.version === null && <option value="">changed, nothing computed</option>}
            {versions.map((one) => (
              <option key={one.version} value={one.version} selected={one.version === spec.version}>
                {`${one.version}${one.published ? ", published" : one.fitted ? ", computed" : ""}`}
              </option>
            ))}
          </select>
        </>
      )}
    </div>
  );
}

/** Work that another step or tab has started. */
function Elsewhere() {
  useStore();
  const job = store.running();
  if (!job) return null;
  return (
    <p class="muted" role="status">
      At work: {JOB_WORDS[job.kind as Kind] ?? job.kind}
      {job.request.version ? ` (version ${job.request.version})` : ""}
    </p>
  );
}

function Header() {
  const { server } = useStore();
  return (
    <header>
      <div>
        <h1>HyObscure studio</h1>
        <p id="made">{server ? `${server.folder}. ` : ""}Nothing leaves this machine.</p>
      </div>
      <div class="tools">
        <Versions />
        <label class="control theme">
          Colours{" "}
          <select onChange={(event) => setTheme(event.currentTarget.value)}>
            <option value="auto">as the system</option>
            <option value="light">light</option>
            <option value="dark">dark</option>
          </select>
        </label>
        <button type="button" class="quiet" onClick={() => void store.openTab()}>
          New tab
        </button>
      </div>
    </header>
  );
}

function Away() {
  const { connection, why } = useStore();
  if (connection === "opening") return <p class="away">Opening ...</p>;
  if (connection === "stranger")
    return (
      <div class="away">
        <h1>HyObscure studio</h1>
        <p>
          <b>This tab has no key to the studio.</b> {why ? `${why.problem}. ` : ""}
        </p>
        <p>Open the link that the program printed, or press &ldquo;New tab&rdquo; in a tab that is open. A link works once.</p>
      </div>
    );
  return null;
}

function App() {
  const { connection, step, error, why, told } = useStore();
  const View = VIEWS[step];
  const title = STEPS.find((one) => one.id === step)?.title ?? "Evidence";
  const next = STEPS[STEPS.findIndex((one) => one.id === step) + 1];
  return (
    <>
      <div class="unseen" aria-live="polite">
        {told}
      </div>
      {connection === "open" || connection === "lost" ? (
        <>
          <a class="skip" href="#step-title">
            Skip to the step
          </a>
          <Header />
          {connection === "lost" && (
            <Problem
              error={why ?? { problem: "the studio does not answer", remedy: "Start it again in its terminal; what was computed is kept." }}
            />
          )}
          <Steps />
          <main>
            <h2 id="step-title" tabIndex={-1}>
              {title}
            </h2>
            {error && <Problem error={error} />}
            <Elsewhere />
            <View key={step} />
            {next && step !== "evidence" && (
              <p class="next">
                <button type="button" class="main" disabled={!store.state.spec} onClick={() => store.go(next.id)}>
                  Next: {next.title}
                </button>
              </p>
            )}
          </main>
        </>
      ) : (
        <Away />
      )}
    </>
  );
}

watchSystemTheme();
const place = document.getElementById("app");
if (place) render(<App />, place);
void store.open();
