// From a folder of files to people, a secret and what is published of them.
import { useState } from "preact/hooks";
import { groupsSection } from "../report/groups";
import { bytes, count, counted, inBits, measure, share } from "../report/numbers";
import { Elsewhere, Help, JobState, Note, Problem, ReportParts, Run, Select, useSearch, useStepTitle } from "./parts";
import type { InspectedColumn } from "./results";
import { store, useStore } from "./store";
import { textOf, texts, textsOf } from "./values";

function ChooseFiles() {
  const { server, spec } = useStore();
  const tables = server?.tables ?? [];
  const [people, setPeople] = useState<string | undefined>();
  const [events, setEvents] = useState<string | undefined>();
  const [secret, setSecret] = useState("");
  const named = (key: string) => textOf(spec?.values, key);
  const chosenPeople = people ?? (named("people.file") || guessOf(tables, /people|person|user|patient|customer/i) || tables[0]?.name || "");
  const chosenEvents = events ?? (spec ? named("events.file") : guessOf(tables, /event|rating|visit|purchase|check/i, chosenPeople) || "");
  const options = tables.map((file) => ({ value: file.name, text: `${file.name} (${bytes(file.bytes)})` }));
  if (!tables.length)
    return (
      <Note>
        There is no table in {server?.folder} yet. Copy a file there (CSV, TSV, Parquet, JSON lines) and{" "}
        <button type="button" class="link" onClick={() => void store.refresh()}>
          look again
        </button>
        , or rehearse on made-up people below.
      </Note>
    );
  return (
    <div class="fields">
      <Select label="People, one row each" value={chosenPeople} options={options} onChange={setPeople} />
      <Select
        label="What they did, many rows each"
        value={chosenEvents}
        options={[{ value: "", text: "no such file: the features are columns of the people" }, ...options]}
        onChange={setEvents}
      />
      <span class="field">
        <label for="secret-column">Column that nobody may infer</label>
        <input
          id="secret-column"
          type="text"
          value={secret}
          placeholder="guessed where empty"
          onInput={(event) => setSecret(event.currentTarget.value)}
        />
      </span>
      <span class="buttons">
        <Run kind="start" request={{ people: chosenPeople, events: chosenEvents, secret, care: "balanced" }}>
          Look at this data
        </Run>
        <button type="button" class="quiet" onClick={() => void store.refresh()}>
          Look for files again
        </button>
      </span>
    </div>
  );
}

function guessOf(tables: { name: string }[], pattern: RegExp, except = ""): string | undefined {
  return tables.find(({ name }) => name !== except && pattern.test(name))?.name;
}

function Rehearsal() {
  const [shape, setShape] = useState("ratings");
  const [people, setPeople] = useState(600);
  const [open, setOpen] = useState(() => !store.state.server?.tables.length);
  const made = store.result("synth");
  return (
    <details class="panel" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Rehearse on made-up people first</summary>
      <p>
        Choose the shape of your data. The program makes people up who look like that; nothing of yours is read. All steps work as they will
        on the true file.
      </p>
      <div class="fields">
        <Select
          label="Shape"
          value={shape}
          onChange={setShape}
          options={[
            { value: "ratings", text: "ratings: people with an age, and films they rated" },
            { value: "tabular", text: "a table: an age, and numbers, a category and a set beside it" },
            { value: "check-ins", text: "check-ins: people with a home in a city, and places they visited" },
          ]}
        />
        <span class="field">
          <label for="made-up-people">Number of people</label>
          <input
            id="made-up-people"
            type="number"
            min={200}
            max={1_000_000}
            value={people}
            onInput={(event) => setPeople(event.currentTarget.valueAsNumber)}
          />
        </span>
        <span class="buttons">
          <Run kind="synth" request={{ shape, people }} disabled={!Number.isInteger(people)}>
            Make them up
          </Run>
        </span>
      </div>
      <JobState kind="synth" />
      {made && (
        <Note kind="good">
          In the folder now: {made.files.join(" and ")}.{" "}
          <button type="button" class="main" onClick={() => void store.begin({ toml: made.toml })}>
            Take these people
          </button>
        </Note>
      )}
    </details>
  );
}

/** For what cannot be guessed, such as places: a spec that somebody has written. */
function OwnSpec() {
  const { server } = useStore();
  const [text, setText] = useState("");
  return (
    <details class="panel">
      <summary>Begin with a spec that you have</summary>
      {server?.specs.map((name) => (
        <p key={name}>
          <button type="button" class="quiet" onClick={() => void store.begin({ file: name })}>
            Take {name}
          </button>
        </p>
      ))}
      <label for="own-spec">Or write one (docs/settings.md has all keys):</label>
      <textarea id="own-spec" rows={6} spellcheck={false} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      <p>
        <button type="button" class="quiet" disabled={!text.trim()} onClick={() => void store.begin({ toml: text })}>
          Take this text
        </button>
      </p>
    </details>
  );
}

const ROLES: Record<string, string> = {
  feature: "published through donors",
  kept: "published unchanged",
  secret: "the secret",
  item: "item of an event",
  value: "value of an event",
  time: "time of an event",
  id: "tells people apart",
};

interface ColumnRow {
  name: string;
  role: string;
  type: string;
  detail: string;
  warning: string;
  leakage: string;
  canChange: boolean;
}

function detailOf(column: InspectedColumn): string {
  const range =
    typeof column.smallest === "number" && typeof column.largest === "number"
      ? `, ${measure(column.smallest)} to ${measure(column.largest)}`
      : "";
  return `${count(column.distinct)} different${range}${column.empty_share ? `, ${measure(100 * (column.empty_share ?? 0))}\u00a0% empty` : ""}`;
}

function rowsOf(): ColumnRow[] {
  const inspection = store.result("inspect");
  const start = store.result("start");
  const { spec } = store.state;
  const wide = !spec?.values["events.file"] && !spec?.values["events.query"];
  const rows: ColumnRow[] = (inspection?.columns ?? []).map((column) => ({
    name: column.name,
    role: column.role,
    type: column.type.toLowerCase(),
    detail: detailOf(column),
    warning: column.identifies ?? "",
    leakage: typeof column.leakage_bits === "number" ? inBits(Math.max(0, column.leakage_bits)) : "",
    canChange: column.role === "kept" || (wide && column.role === "feature"),
  }));
  for (const { column, because } of start?.left_out ?? [])
    if (!rows.some((row) => row.name === column))
      rows.push({ name: column, role: "none", type: "", detail: "", warning: because, leakage: "", canChange: true });
  return rows;
}

function setRoles(names: string[], role: string): void {
  const { values } = store.state.spec ?? { values: {} };
  const without = (key: string) => textsOf(values, key).filter((name) => !names.includes(name));
  const features = without("people.features");
  const keep = without("people.keep");
  if (role === "feature") features.push(...names);
  if (role === "kept") keep.push(...names);
  void store
    .change({
      "people.features": features.length ? texts(features) : null,
      "people.keep": keep.length ? texts(keep) : null,
    })
    .then((done) => done && store.run("inspect"));
}

function Columns() {
  useStore();
  const rows = rowsOf();
  const { wanted, setWanted, found, shown } = useSearch(rows, (row) => row.name);
  const { spec } = store.state;
  const wide = !spec?.values["events.file"] && !spec?.values["events.query"];
  const changeable = found.filter((row) => row.canChange).map((row) => row.name);
  const roles = [
    ...(wide ? [{ value: "feature", text: ROLES.feature }] : []),
    { value: "kept", text: ROLES.kept },
    { value: "none", text: "not published" },
  ];
  if (!rows.length) return null;
  return (
    <section class="card">
      <h3>Columns</h3>
      <p>
        A row of features is published under another person of the same group. A column that is published unchanged joins the group. What is
        not named is not published.
      </p>
      {rows.length > 8 && (
        <div class="fields">
          <span class="field">
            <label for="search-columns">Search {count(rows.length)} columns</label>
            <input id="search-columns" type="search" value={wanted} onInput={(event) => setWanted(event.currentTarget.value)} />
          </span>
          {wide && (
            <span class="buttons">
              <button type="button" class="quiet" disabled={!changeable.length} onClick={() => setRoles(changeable, "feature")}>
                Publish all {wanted ? "that are found" : ""}
              </button>
              <button type="button" class="quiet" disabled={!changeable.length} onClick={() => setRoles(changeable, "none")}>
                Publish none
              </button>
            </span>
          )}
        </div>
      )}
      <div class="table cards" tabIndex={0} role="region" aria-label="Columns">
        <table>
          <thead>
            <tr>
              <th scope="col">column</th>
              <th scope="col">what becomes of it</th>
              <th scope="col">content</th>
              <th scope="col">leaks by itself</th>
              <th scope="col">what to know</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={row.name} class={row.warning ? "warned" : undefined}>
                <th scope="row">{row.name}</th>
                <td data-column="what becomes of it">
                  {row.canChange ? (
                    <Select
                      label={`What becomes of ${row.name}`}
                      hideLabel
                      value={row.role}
                      options={roles}
                      onChange={(role) => setRoles([row.name], role)}
                    />
                  ) : (
                    (ROLES[row.role] ?? row.role)
                  )}
                </td>
                <td data-column="content">{[row.type, row.detail].filter(Boolean).join(", ")}</td>
                <td data-column="leaks by itself">{row.leakage || "\u2013"}</td>
                <td data-column="what to know">{row.warning || "\u2013"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {found.length > shown.length && <p class="muted">{count(found.length - shown.length)} more: search for them.</p>}
    </section>
  );
}

function ChooseSecret() {
  const { spec } = useStore();
  const start = store.result("start");
  if (!spec || !start) return null;
  const secret = textOf(spec.values, "people.secret");
  const options = [...new Set([secret, ...start.other_secrets])];
  const because = start.reasons["people.secret"];
  const again = (chosen: string) =>
    void store.run("start", {
      people: textOf(spec.values, "people.file"),
      events: textOf(spec.values, "events.file"),
      secret: chosen,
      care: "balanced",
    });
  return (
    <section class="card">
      <h3>What may nobody infer about a person?</h3>
      <div class="fields">
        <Select label="The secret" value={secret} options={options} onChange={again} />
      </div>
      {because && <p class="muted">Why this one: {because.split(";")[0]}.</p>}
    </section>
  );
}

function Found() {
  const { spec, limits } = useStore();
  const inspection = store.result("inspect");
  if (!spec) return null;
  const facts = limits?.known && !limits.error ? { ...limits, data: { secret: textOf(spec.values, "people.secret") } } : undefined;
  if (!inspection)
    return (
      <>
        <JobState kind="inspect" />
        {!store.job("inspect") && <Run kind="inspect">Inspect the data</Run>}
      </>
    );
  return (
    <section class="card">
      <h3>What is in it</h3>
      <dl class="figures">
        <div>
          <dt>people</dt>
          <dd>{count(inspection.people)}</dd>
        </div>
        <div>
          <dt>different features</dt>
          <dd>{count(inspection.items)}</dd>
        </div>
        <div>
          <dt>different secrets</dt>
          <dd>{count(inspection.values)}</dd>
        </div>
        <div>
          <dt>the features alone leak</dt>
          <dd>
            {inBits(inspection.unprotected.leakage_bits)} of {inBits(inspection.secret_entropy_bits)}
          </dd>
        </div>
      </dl>
      {inspection.singled_out.length > 0 && (
        <p>
          People who can be told from all others by knowing a few of their entries:{" "}
          {inspection.singled_out.map((one) => `${share(one.share, 1)} by ${counted(one.known, "entry", "entries")}`).join(", ")}.
        </p>
      )}
      {inspection.implausible_secrets.map((one) => (
        <Note kind="warning" key={one.secret}>
          {counted(one.people, "person", "people")}: {one.because}.
        </Note>
      ))}
      {facts && <ReportParts sections={[groupsSection(facts)]} />}
      <Help title="What a bit is">
        <p>
          One bit is the answer to one yes-or-no question. The secret holds H(Y) bits; what leaks is I(Y; C), measured on clusters of people
          with alike features and compared with shuffled secrets.
        </p>
      </Help>
    </section>
  );
}

function Queries() {
  const { spec, allowed } = useStore();
  if (!spec?.queries) return null;
  return (
    <Note kind="warning">
      <p>
        <b>This spec runs SQL of its own.</b> It can read files of this folder and nothing else. Read it before it runs:
      </p>
      {["people.query", "events.query"].map((key) => spec.values[key] && <pre key={key}>{textOf(spec.values, key)}</pre>)}
      <label>
        <input
          type="checkbox"
          checked={allowed === spec.toml}
          onChange={(event) => store.set({ allowed: event.currentTarget.checked ? spec.toml : undefined })}
        />{" "}
        I have read it, and it may run.
      </label>
    </Note>
  );
}

export function DataStep() {
  const { spec, server } = useStore();
  useStepTitle("Data");
  const version = spec?.version ?? "N";
  const files = [textOf(spec?.values, "people.file"), textOf(spec?.values, "events.file")].filter(Boolean);
  const failed = store.job("start")?.state === "failed" ? store.job("start")?.error : undefined;
  return (
    <>
      <section class="card">
        <h3>Files in {server?.folder}</h3>
        <ChooseFiles />
        {failed ? <Problem error={failed} /> : <JobState kind="start" />}
        <Rehearsal />
        <OwnSpec />
      </section>
      <Queries />
      <ChooseSecret />
      <Found />
      <Columns />
      {spec && (
        <Elsewhere
          command={`hyobscure init ${files.join(" ")} --secret ${textOf(spec.values, "people.secret")} -o spec-${version}.toml\nhyobscure inspect spec-${version}.toml`}
          python={`import hyobscure\n\nfound = hyobscure.inspect(spec="spec-${version}.toml")\nprint(found.recommended)`}
        />
      )}
    </>
  );
}
