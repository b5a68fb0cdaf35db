import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Exchange, Reply } from '../http/exchange.ts';
import type { Endpoint, Mounted } from '../http/listener.ts';
import { fileReply, staticFile } from '../http/static-file.ts';
import type { BaseUrl } from '../json/base-url.ts';
import type { PageContext } from '../page/page-context.ts';
import { PageEndpoint } from '../page/page-endpoint.ts';
import { docsPage } from './docs-page.ts';
import { llmsText } from './llms-text.ts';

/** Dependencies of the endpoints that describe the API. */
export interface DocumentsContext extends PageContext {
  baseUrl: BaseUrl;
}

/**
 * Value of Cache-Control: a cache must revalidate a stored document before each use, because an update of the service
 * changes the document.
 */
const REVALIDATED = 'public, no-cache';

/**
 * Returns the endpoints that describe the API: the page `/docs`, the OpenAPI document and the text for language models.
 * They show no data of servers, so everybody may read them, even if GSQ_PAGE is off.
 */
export function documentsOf(context: DocumentsContext): Mounted[] {
  const { assets, baseUrl } = context;
  const json = readFileSync(join(import.meta.dirname, 'openapi.json'));
  const openApi = staticFile(json, 'application/json; charset=utf-8');
  const document = JSON.parse(json.toString('utf8'));
  const page = new PageEndpoint('docs_page', context, 'documents', exchange =>
    docsPage(exchange, assets, baseUrl),
  );
  return [
    { route: { method: 'GET', path: '/docs' }, endpoint: page },
    mount('/openapi.json', 'openapi', exchange => fileReply(exchange, openApi, REVALIDATED)),
    mount('/llms.txt', 'llms_text', exchange => {
      const text = llmsText(document, baseUrl.baseFor(exchange) ?? '');
      return fileReply(exchange, staticFile(Buffer.from(text), 'text/plain; charset=utf-8'), REVALIDATED);
    }),
  ];
}

function mount(path: string, name: string, answer: (exchange: Exchange) => Reply): Mounted {
  const endpoint: Endpoint = {
    name,
    method: 'GET',
    acceptsHead: true,
    wrongMethod: 'ROUTE_2',
    preflights: true,
    answer,
  };
  return { route: { method: 'GET', path }, endpoint };
}
