// The report of a release, read only, for the person who approves it. Its facts are taken from the file; no script of it runs.
import { useEffect, useState } from "preact/hooks";
import type { Facts } from "../report/facts";
import { sectionsOf } from "../report/main";
import type { Section } from "../report/section";
import { fileText } from "./api";
import { Note, ReportParts, Select, useStepTitle } from "./parts";
import { store, useStore } from "./store";

const BEGINS = '<script type="application/json" id="facts">';

/** In the report's JSON no "<" stands as itself, so its element ends at the next one. */
async function factsOf(report: string): Promise<Facts> {
  const page = await fileText(report);
  const begin = page.lastIndexOf(BEGINS) + BEGINS.length;
  const parsed: unknown = JSON.parse(page.slice(begin, page.indexOf("<", begin)));
  return parsed && typeof parsed === "object" && !Array.isArray(parsed) ? (parsed as Facts) : {};
}

export function EvidenceView() {
  const { server, spec } = useStore();
  useStepTitle("Evidence");
  const published = (server?.versions ?? []).filter((one) => one.published).map((one) => one.version);
  const own = published.includes(spec?.version ?? -1) ? spec?.version : published.at(-1);
  const [chosen, setChosen] = useState<number | null | undefined>();
  const version = chosen ?? own;
  const [shown, setShown] = useState<{ version: number; title: string; sections: Section[] } | undefined>();
  useEffect(() => {
    if (!version) return;
    void store.attempt(async () => {
      const facts = await factsOf(`report-${version}.html`);
      setShown({ version, title: String(facts.title ?? `Release ${version}`), sections: sectionsOf(facts) });
    });
  }, [version]);
  if (!version) return <Note>No release was written in this folder yet.</Note>;
  return (
    <>
      {published.length > 1 && (
        <div class="fields">
          <Select
            label="Release"
            value={String(version)}
            options={published.map((one) => ({ value: String(one), text: `release-${one}` }))}
            onChange={(one) => setChosen(Number(one))}
          />
        </div>
      )}
      <Note>
        This evidence is private: it holds counts finer than those published. It shows report-{version}.html as it was written, and changes
        nothing.
      </Note>
      {shown ? (
        <>
          <h3>{shown.title}</h3>
          <ReportParts sections={shown.sections} key={shown.version} />
        </>
      ) : (
        <p class="muted">Reading the report ...</p>
      )}
    </>
  );
}
