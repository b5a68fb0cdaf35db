import { refTo, type Schema } from './schema.ts';

/** Example values of the parameters `game_id` and `server`. They name a server of the demo (`npm start -- --demo`). */
const GAME = 'counterstrike2';
const SERVER = '127.0.1.1:27515';

/**
 * Who may call a REST operation. `anybody`: no credentials are needed. `token`: the three credential headers are
 * needed. `page`: no credentials are needed if GSQ_PAGE is on.
 */
export type Access = 'anybody' | 'token' | 'page';

/** Properties of a REST operation that calls an RPC method. The proto files do not contain them. */
export interface RpcOperation {
  readonly access: Access;
  readonly summary: string;
  /** Example values of the parameters, keyed by name. Clients can send the request with exactly these values. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly body?: {
    readonly required: readonly string[];
    readonly hidden: readonly string[];
    readonly example: unknown;
  };
  /** JSON Schema of the answer. If absent, the answer is the JSON form of the message that the RPC method returns. */
  readonly answer?: Schema;
  /** Media type of the answer of the operation. Absent if the answer is JSON. */
  readonly mediaType?: string;
}

const server = { game_id: GAME, server: SERVER };
const HOOK = { id: 'whk_0123456789abcdef' };

/** The REST operations of the RPC methods with an HTTP annotation, keyed by the full name of the method. */
export const rpcOperations: Readonly<Record<string, RpcOperation>> = {
  'gsq.v1.GameService.ListGamesJson': {
    access: 'anybody',
    summary: 'List the supported games',
    answer: { type: 'array', items: refTo('Game') },
  },
  'gsq.v1.ServerService.FetchServersJson': {
    access: 'token',
    summary: 'Fetch the status of servers',
    body: {
      required: ['servers'],
      hidden: ['wait_ms'],
      example: { servers: [{ game_id: GAME, servers: [SERVER] }] },
    },
    answer: refTo('FetchAnswer'),
  },
  'gsq.v1.ServerService.WatchServersJson': {
    access: 'page',
    summary: 'Follow changes of servers as server-sent events',
    parameters: { server: [`${GAME}/${SERVER}`] },
    answer: {
      type: 'string',
      description: 'Server-sent events: `snapshot`, `change`, `heartbeat` and `end`.',
    },
    mediaType: 'text/event-stream',
  },
  'gsq.v1.ServerService.GetServerJson': {
    access: 'page',
    summary: 'Get one tracked server',
    parameters: server,
    answer: refTo('TrackedServer'),
  },
  'gsq.v1.ServerService.ListServersJson': {
    access: 'page',
    summary: 'Search the tracked servers',
    parameters: { game: GAME, page_size: 10 },
  },
  'gsq.v1.ServerService.GetSummaryJson': { access: 'page', summary: 'Count servers and players' },
  'gsq.v1.ServerService.GetStatusJson': { access: 'page', summary: 'Get the status of the service itself' },
  'gsq.v1.HistoryService.GetHistoryJson': {
    access: 'page',
    summary: 'Get the players and the status of a server over time',
    parameters: { ...server, step: '15m' },
    answer: refTo('History'),
  },
  'gsq.v1.HistoryService.GetTrendsJson': {
    access: 'page',
    summary: 'Get the players of several servers in the last 24 hours',
    parameters: { server: [`${GAME}/${SERVER}`] },
  },
  'gsq.v1.HistoryService.GetUptimeJson': {
    access: 'page',
    summary: 'Get the uptime of a server',
    parameters: { ...server, window: '24h,7d' },
  },
  'gsq.v1.HistoryService.ListIncidentsJson': {
    access: 'page',
    summary: 'List the times in which a server was offline',
    parameters: server,
  },
  'gsq.v1.WebhookService.CreateWebhookJson': {
    access: 'token',
    summary: 'Register a webhook',
    body: {
      required: ['url', 'events'],
      hidden: ['token_id'],
      example: {
        url: 'http://127.0.0.1:8443/gsq',
        servers: [{ game_id: GAME, servers: [SERVER] }],
        events: [{ event: 'offline', for: '3m' }],
      },
    },
  },
  'gsq.v1.WebhookService.ListWebhooksJson': { access: 'token', summary: 'List your webhooks' },
  'gsq.v1.WebhookService.GetWebhookJson': { access: 'token', summary: 'Get a webhook', parameters: HOOK },
  'gsq.v1.WebhookService.DeleteWebhookJson': {
    access: 'token',
    summary: 'Delete a webhook',
    parameters: HOOK,
  },
  'gsq.v1.WebhookService.TestWebhookJson': {
    access: 'token',
    summary: 'Send a test delivery',
    parameters: HOOK,
  },
  'gsq.v1.WebhookService.ListDeliveriesJson': {
    access: 'token',
    summary: 'List the last deliveries of a webhook',
    parameters: HOOK,
  },
};

/** A parameter of a REST operation without an RPC method. Parameters in the path are required. */
export interface PlainParameter {
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

/** An operation on a path that exists in REST but not in gRPC. */
export interface PlainOperation {
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly query: readonly PlainParameter[];
  readonly mediaType: string;
  readonly answer: Schema;
}

const text: Schema = { type: 'string' };
const theme: PlainParameter = {
  name: 'theme',
  description: 'Colours. `auto` follows the viewer.',
  schema: { type: 'string', enum: ['light', 'dark', 'auto'] },
};

/** Example values of `game_id` and `server`, for the paths of the operations in `plainOperations`. */
export const pathExamples: Readonly<Record<string, string>> = server;

/** The operations on paths that exist in REST but not in gRPC: images, embeddable frames (HTML pages) and feeds. */
export const plainOperations: readonly PlainOperation[] = [
  {
    path: '/v1/servers/{game_id}/{server}/incidents.atom',
    id: 'incidentsFeed',
    summary: 'Get the times in which a server was offline as an Atom feed',
    query: [],
    mediaType: 'application/atom+xml',
    answer: text,
  },
  {
    path: '/badge/{game_id}/{server}.svg',
    id: 'badge',
    summary: 'Show a badge',
    query: [
      {
        name: 'label',
        description: 'Text on the left. The default is the name of the server.',
        schema: text,
      },
    ],
    mediaType: 'image/svg+xml',
    answer: text,
  },
  {
    path: '/card/{game_id}/{server}.svg',
    id: 'card',
    summary: 'Show a card with the players of the last 24 hours',
    query: [theme],
    mediaType: 'image/svg+xml',
    answer: text,
  },
  {
    path: '/card/{game_id}/{server}.png',
    id: 'cardPng',
    summary: 'Show a card as a PNG image',
    query: [theme],
    mediaType: 'image/png',
    answer: text,
  },
  {
    path: '/embed/{game_id}/{server}',
    id: 'frame',
    summary: 'Show a frame',
    query: [],
    mediaType: 'text/html',
    answer: text,
  },
  {
    path: '/oembed',
    id: 'oembed',
    summary: 'Get the frame of a server in the format of oEmbed',
    query: [
      {
        name: 'url',
        description: 'Address of the page of a server at this service.',
        schema: text,
        example: `http://127.0.0.1:8080/server/${GAME}/${encodeURIComponent(SERVER)}`,
      },
      { name: 'maxwidth', description: 'Maximum width in pixels.', schema: { type: 'integer', minimum: 1 } },
      {
        name: 'maxheight',
        description: 'Maximum height in pixels.',
        schema: { type: 'integer', minimum: 1 },
      },
      { name: 'format', description: 'Only `json`.', schema: { type: 'string', enum: ['json'] } },
    ],
    mediaType: 'application/json',
    answer: refTo('OEmbed'),
  },
];
