// The release, its verification, and what may be given away.
import { useState } from "preact/hooks";
import { counted, inBits } from "../report/numbers";
import { download } from "./api";
import { Elsewhere, Help, JobState, Note, Run, useStepTitle } from "./parts";
import type { Check } from "./results";
import { store, useStore } from "./store";

function DownloadButton({ name, children }: { name: string; children: string }) {
  return (
    <button type="button" class="quiet" onClick={() => void store.attempt(() => download(name))}>
      {children}
    </button>
  );
}

function stateOf(check: Check): { mark: string; name: string } {
  if (check.passed) return { mark: "\u2713", name: "holds" };
  return check.warning ? { mark: "!", name: "note" } : { mark: "\u2717", name: "failed" };
}

function CheckList({ checks }: { checks: Check[] }) {
  return (
    <ul class="checks">
      {checks.map((check) => (
        <li key={check.key} class={stateOf(check).name}>
          <span class="mark" aria-hidden="true">
            {stateOf(check).mark}
          </span>
          <span>
            {check.name} <span class="detail">{check.detail}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}

function Checks({ checks, notSeen }: { checks: Check[]; notSeen: string[] }) {
  return (
    <>
      <CheckList checks={checks.filter((check) => !check.passed)} />
      <details class="help">
        <summary>All {checks.length} checks, and what they cannot see</summary>
        <CheckList checks={checks} />
        <ul>
          {notSeen.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      </details>
    </>
  );
}

export function PublishStep() {
  const { spec, server } = useStore();
  useStepTitle("Publish");
  const [accept, setAccept] = useState(false);
  const [second, setSecond] = useState(false);
  if (!spec) return <Note>Choose your data first: step Data.</Note>;
  const version = spec.version ?? "N";
  const fit = store.result("fit");
  const found = store.result("publish");
  const failed = store.job("publish")?.state === "failed" ? store.job("publish")?.error : undefined;
  const asksSecond = !!failed && /draw|release/.test(`${failed.problem} ${failed.remedy}`) && /second-draw/.test(failed.remedy);
  const flags = `${accept ? " --accept-leakage" : ""}${second ? " --second-draw" : ""}`;
  return (
    <>
      <section class="card">
        <h3>Write the release</h3>
        {!fit && (
          <Note>
            There is nothing to publish yet: compute the protection of this version first.{" "}
            <button type="button" class="link" onClick={() => store.go("tradeoff")}>
              To the trade-off
            </button>
          </Note>
        )}
        {fit && !found && (
          <>
            <p>
              The release is written to <code>{`${server?.folder}/release-${version}`}</code> and verified: from its files alone, against
              your data, and by drawing it again. Each person gets one draw, ever: publishing again gives the same files.
            </p>
            {!store.result("audit") && (
              <Note>
                Nobody has attacked this version yet: the report will say &ldquo;not measured&rdquo; there.{" "}
                <button type="button" class="link" onClick={() => store.go("attack")}>
                  Attack it first
                </button>
              </Note>
            )}
            {fit.shortfalls.length > 0 && (
              <Note kind="warning">
                <p>This protection is weaker than it should be:</p>
                <ul>
                  {fit.shortfalls.map((text) => (
                    <li key={text}>{text}</li>
                  ))}
                </ul>
                <label>
                  <input type="checkbox" checked={accept} onChange={(event) => setAccept(event.currentTarget.checked)} /> I accept this
                  leakage. The release will say so.
                </label>
              </Note>
            )}
            {asksSecond && (
              <Note kind="warning">
                <label>
                  <input type="checkbox" checked={second} onChange={(event) => setSecond(event.currentTarget.checked)} /> Publish although
                  these people are in an earlier release: both together leak more. The release will say so.
                </label>
              </Note>
            )}
            <Run kind="publish" request={{ accept_leakage: accept, second_draw: second }} disabled={fit.shortfalls.length > 0 && !accept}>
              Publish to release-{version}
            </Run>
          </>
        )}
        <JobState kind="publish" />
        {found && (
          <>
            <Note kind={found.verification.passed ? "good" : "warning"}>
              <p>
                <b>
                  {found.verification.passed
                    ? `Verified: all ${found.verification.checks.filter((check) => check.passed).length} checks that can be made passed.`
                    : "A check failed. Do not give this release away."}
                </b>
              </p>
              <p>
                {counted(found.people, "person", "people")}
                {found.events ? `, ${counted(found.events, "event", "events")}` : ""}. The release says that it leaks at most{" "}
                {inBits(found.published_leakage_bits)}.
              </p>
            </Note>
            <Checks checks={found.verification.checks} notSeen={found.verification.not_seen} />
          </>
        )}
      </section>
      {found && (
        <section class="card">
          <h3>Files</h3>
          <div class="table cards" tabIndex={0} role="region" aria-label="Files">
            <table>
              <thead>
                <tr>
                  <th scope="col">file</th>
                  <th scope="col">who may have it</th>
                  <th scope="col">get it</th>
                </tr>
              </thead>
              <tbody>
                {found.names.map((name) => (
                  <tr key={name}>
                    <th scope="row">{`${found.release}/${name}`}</th>
                    <td data-column="who may have it">the people who get the release</td>
                    <td data-column="get it">
                      <DownloadButton name={`${found.release}/${name}`}>Download</DownloadButton>
                    </td>
                  </tr>
                ))}
                <tr>
                  <th scope="row">{found.report}</th>
                  <td data-column="who may have it">the person who approves the release: it holds finer counts</td>
                  <td data-column="get it">
                    <DownloadButton name={found.report}>Download</DownloadButton>{" "}
                    <button type="button" class="quiet" onClick={() => store.go("evidence")}>
                      Read it here
                    </button>
                  </td>
                </tr>
                <tr>
                  <th scope="row">{`spec-${version}.toml`}</th>
                  <td data-column="who may have it">you</td>
                  <td data-column="get it">
                    <DownloadButton name={`spec-${version}.toml`}>Download</DownloadButton>
                  </td>
                </tr>
                <tr class="warned">
                  <th scope="row">{`mechanism-${version}.json`}</th>
                  <td data-column="who may have it">
                    <b>Private: nobody else.</b> Whoever has it can undo the release.
                  </td>
                  <td data-column="get it">stays in the folder</td>
                </tr>
              </tbody>
            </table>
          </div>
          <Help title="What the release does not protect against">
            <p>
              The group of a person is published as it is. Published rows are true rows of other people. A second, independent release of
              the same people leaks more than one; the ledger of the folder refuses it.
            </p>
          </Help>
        </section>
      )}
      <Elsewhere
        command={`hyobscure publish spec-${version}.toml -m mechanism-${version}.json -o release-${version}${flags}\nhyobscure verify release-${version} --against spec-${version}.toml -m mechanism-${version}.json`}
        python={`import hyobscure\n\nmodel = hyobscure.load("mechanism-${version}.json", spec="spec-${version}.toml")\nrelease = model.publish("release-${version}")\nprint(release.verify(redraw=True).passed)`}
      />
    </>
  );
}
