import type { BaseUrl } from '../json/base-url.ts';
import type { Assets } from '../page/assets.ts';
import type { Page } from '../page/document.ts';
import { html } from '../page/views/html.ts';
import type { Visit } from '../page/visit.ts';
import { type Sample, samples } from './samples.ts';

const REMARK = 'The token stays in this tab: no other tab and no server but this one gets it.';

/**
 * Builds the page `/docs`: code for a first request, and all operations of the REST API, which the reader can try on
 * the page.
 */
export function docsPage(visit: Visit, assets: Assets, baseUrl: BaseUrl): Page {
  const base = baseUrl.baseFor(visit.host) ?? 'https://gsq.example.com';
  return {
    title: 'API · gsq',
    description: 'The API of this game server query service, to read and to try',
    script: 'docs',
    head: [html`<link rel="stylesheet" href=${assets.pathOf('swagger-ui.css')} />`],
    main: html`<h1>API</h1>
      <p>
        One request returns the latest known status of up to 1,000 game servers. Servers that are not known yet are
        probed from then on. The same API as a document: <a href="/openapi.json">OpenAPI</a>,${' '}
        <a href="/llms.txt">plain text for language models</a>.
      </p>
      <h2 id="samples">The first request</h2>
      <p>Each sample reads the address of the service and your token from its environment:</p>
      <pre tabindex="0" aria-label="Environment"><code>${`export GSQ_URL=${base} GSQ_TOKEN=gsq_… GSQ_EMAIL=you@example.com`}</code></pre>
      <div class="samples">${samples.map((sample, i) => sampleView(sample, i === 0))}</div>
      <h2 id="try">Try it</h2>
      <form id="credentials" class="credentials">
        <label>Token <input name="token" type="password" autocomplete="off" spellcheck="false" /></label>
        <label>Type <select name="tier"><option>FREE</option><option>PRO</option></select></label>
        <label>E-mail <input name="email" type="email" autocomplete="off" /></label>
        <button class="button" type="reset">Forget</button>
      </form>
      <p class="quiet">${REMARK}</p>
      <div
        id="operations"
        data-document="/openapi.json"
        data-script=${assets.pathOf('swagger-ui-bundle.js')}
      >
        <p>With scripts, all operations can be tried here. Without scripts, read the <a href="/openapi.json">document</a>.</p>
      </div>`,
  };
}

function sampleView({ name, file, code }: Sample, isOpen: boolean) {
  return html`<details name="sample" open=${isOpen}>
    <summary>${name}</summary>
    <pre tabindex="0" aria-label=${`${name}, ${file}`}><code>${code}</code></pre>
  </details>`;
}
