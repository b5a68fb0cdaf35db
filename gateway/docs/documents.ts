import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Exchange, Reply } from '../http/exchange.ts';
import type { Endpoint, Mounted } from '../http/listener.ts';
import { fileReply, staticFile } from '../http/static-file.ts';
import type { BaseUrl } from '../json/base-url.ts';
import { llmsText } from './llms-text.ts';

/**
 * Value of Cache-Control for a document. A cache must revalidate the document before each use, because an update of the
 * service can change the document.
 */
const REVALIDATED = 'public, no-cache';

/**
 * Returns the endpoints of two documents about the API: the OpenAPI document and the text for language models. The
 * documents show no data of servers, so everybody may read them, even if GSQ_PAGE is off.
 */
export function documentsOf(baseUrl: BaseUrl): Mounted[] {
  const json = readFileSync(join(import.meta.dirname, 'openapi.json'));
  const openApi = staticFile(json, 'application/json; charset=utf-8');
  const document = JSON.parse(json.toString('utf8'));
  return [
    mount('/openapi.json', 'openapi', exchange => fileReply(exchange, openApi, REVALIDATED)),
    mount('/llms.txt', 'llms_text', exchange => {
      const text = llmsText(document, baseUrl.baseFor(exchange.request.headers.host) ?? '');
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
