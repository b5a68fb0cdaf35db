// Written by npm run openapi.

export type RestDeletedWebhook = Record<string, never>;

/** One attempt to send a delivery. */
export interface RestDeliveryAttempt {
  /**
   * Id of the delivery. All attempts of a delivery have the same id, which is also the `webhook-id` header. Empty if
   * the event was dropped before it became a delivery.
   */
  delivery_id: string;
  event: string;
  game_id: string;
  server: string;
  at: string;
  /** HTTP status of the answer; 0 if there was no answer. */
  http_status: number;
  /** Reason of the failure, for people; empty if the attempt succeeded. */
  error: string;
  /** Duration of the attempt, ms. */
  duration_ms: number;
  /** Time of the next attempt; null if there will be none. */
  next_attempt_at: string | null;
}

export interface RestDeliveryAttempts {
  attempts: RestDeliveryAttempt[];
}

/** The body of every answer that reports an error. */
export interface RestErrorBody {
  /** Code of the error. Codes never change their meaning. */
  error: 'GET_1' | 'POST_1' | 'POST_2' | 'POST_3' | 'POST_4' | 'POST_5' | 'AUTH_1' | 'AUTH_2' | 'AUTH_3' | 'AUTH_4' | 'AUTH_5' | 'QUOTA_1' | 'RATE_1' | 'QUERY_1' | 'SERVER_1' | 'HOOK_1' | 'HOOK_2' | 'ROUTE_2' | 'ROUTE_1' | 'HTTP_1' | 'GRPC_1' | 'GRPC_2' | 'GRPC_3' | 'GRPC_4' | 'ADMIN_1' | 'ADMIN_2' | 'CORE_1' | 'CORE_2' | 'INTERNAL_1';
  /** Error message for people: what is wrong, and what to do. */
  message: string;
  /**
   * Id of the request in the logs of the service. Absent only if `error` is GET_1 (the catalog was requested with a
   * method other than GET).
   */
  request_id?: string;
  /**
   * Number of requests that the token may make in 24 hours. Present only if `error` is QUOTA_1 (the quota is used up).
   */
  quota?: number;
  /** Number of requests that the token has made in the last 24 hours. Present only if `error` is QUOTA_1. */
  used?: number;
  /** The faults of the request. Only for errors in the body or in the parameters. */
  details?: {
    path: string;
    message: string;
  }[];
}

/** One key for each address, spelled as in the request, and `_meta` as the last key. */
export type RestFetchAnswer = {
  _meta: RestMeta;
  [key: string]: RestPayload | RestMissing | RestMeta;
};

export interface RestFetchRequest {
  /** The requested servers, grouped by game. All groups together contain at most 1000 addresses. */
  servers: RestGroup[];
}

/** A game of the catalog. */
export interface RestGame {
  /** Id of the game, called `game_id` in other requests. */
  id: string;
  /** Display name. */
  name: string;
}

export interface RestGameSummary {
  game_id: string;
  servers: number;
  online: number;
  players: number;
}

export interface RestGroup {
  /** Id or alias of a game in the games catalog. */
  game_id: string;
  /** Addresses, `<host_or_ip>:<port>`. */
  servers: string[];
}

export interface RestHistory {
  /** Id of the game in the catalog. */
  game_id: string;
  /** Canonical address, `host:port`. */
  server: string;
  step_seconds: number;
  /** Begin of the first step of the history. */
  from: string;
  /** End of the last step of the history. */
  to: string;
  /**
   * The players and the uptime in each step of the history, the oldest step first. Null for a step if gsq does not know
   * whether the server was online.
   */
  samples: (RestHistorySample | null)[];
}

export interface RestHistorySample {
  /** Begin of the time step of the history. */
  at: string;
  /** Mean number of players in the time step while the server was online; null if unknown. */
  players_mean: number | null;
  /** Highest number of players in the time step; null if unknown. */
  players_max: number | null;
  /**
   * Share of the known part of the time step in which the server was online, from 0 to 1; null if no part is known.
   */
  online_share: number | null;
  /** Share of the time step for which gsq knows whether the server was online, from 0 to 1. */
  known_share: number;
}

/** A period in which a server was offline. */
export interface RestIncident {
  /** Time when gsq found that the server was offline. */
  started: string;
  /**
   * Time when the server answered again; null if it is still offline. Equals `started` if gsq does not know the time.
   */
  ended: string | null;
  /** Reason why the server was offline, such as `no_reply` or `refused` (docs/errors.md). */
  reason: string;
}

export interface RestIncidentPage {
  game_id: string;
  server: string;
  incidents: RestIncident[];
  /** `page_token` of the next page; empty if this is the last page. */
  next_page_token: string;
}

export interface RestInvalidServer {
  game_id: string;
  server: string;
  reason: 'unknown_game' | 'malformed_address' | 'blocked_address' | 'unresolvable_host' | 'insert_quota';
  /** Text that explains `reason` to people. */
  message: string;
}

export interface RestMeta {
  /** Number of servers that this request inserted. */
  auto_inserted: number;
  inserted_servers: RestServerRef[];
  invalid_servers: RestInvalidServer[];
  /**
   * Servers whose data is not in the answer. If a request contains the same address under two games, the answer has the
   * data of only one of the two games.
   */
  duplicate_servers?: RestServerRef[];
}

/** A server without data: the server has never answered, or its game or address is not valid. */
export interface RestMissing {
  /** Text for people that explains why there is no data of the server. */
  message: string;
  _updater: RestUpdater;
}

/** An answer in the format of https://oembed.com. */
export interface RestOEmbed {
  version: string;
  type: string;
  provider_name: string;
  provider_url: string;
  title: string;
  /** HTML of an iframe that shows the status of the server. */
  html: string;
  width: number;
  height: number;
}

/** The last data of a server that has answered at least once. */
export interface RestPayload {
  /** Name of the server; its address if the server has no name. */
  name: string;
  /** Map or world that is being played. */
  map: string;
  /** Players on the server, bots included; absent if the server does not report it. */
  players?: number;
  /** Maximum number of players; absent if the server does not report it. */
  maxplayers?: number;
  /**
   * Players on the server, the same number as in the key `players`; absent if the server does not report it.
   */
  numplayers?: number;
  /** Bots on the server. */
  numbots: number;
  /** Whether players need a password to join. */
  password: boolean;
  /** Version of the game. */
  version: string;
  /** Milliseconds between the query and its reply. */
  ping: number;
  /** `host:port` that players join. */
  connect: string;
  /** Time of the last valid reply of the server, UTC. */
  updated: string;
  raw: {
    /** Bots on the server, the same number as in the key `numbots`. */
    numbots: number;
    /** Players that the server lists, each with `name`, `score` and `time`. */
    players: {
      name: string;
      score: number;
      time: number;
    }[];
  };
  _updater: RestUpdater;
  _stale?: RestStale;
}

export interface RestRegisteredWebhook {
  webhook: RestWebhook;
  /**
   * Secret with which gsq signs the deliveries, as `whsec_...` (https://www.standardwebhooks.com). Empty for the form
   * `discord`.
   */
  secret: string;
}

export interface RestServerPage {
  servers: RestTrackedServer[];
  /** `page_token` of the next page; empty if this is the last page. */
  next_page_token: string;
  /** Number of servers that match, in all pages together. */
  total_size: number;
}

/** A game id and an address, as the request contained them. */
export interface RestServerRef {
  game_id: string;
  server: string;
}

export interface RestServiceStatus {
  /** Number of connected probers. If it is 0, no game server is probed. */
  probers: number;
  /**
   * Longest delay of a probe in the last ten seconds: the time from when a server was due until a prober got the probe,
   * in seconds. 0 while no prober is connected.
   */
  schedule_lag_seconds: number;
  /**
   * True while most game servers seem to be silent at once. The network of the probers is then likely to be broken, and
   * no server becomes offline.
   */
  outage: boolean;
  /**
   * False while the store cannot write, for example because the disk is full. In this case, no servers are inserted. If
   * the service has several cores, also false while one of them does not answer. The other fields do not contain the
   * numbers of a core that does not answer.
   */
  store_healthy: boolean;
  /**
   * Number of servers that are probed less often than others, because their hosts limit or filter queries.
   */
  limited: number;
}

/** Says that the data of a server is older than `threshold_seconds`, and why. Absent for newer data. */
export interface RestStale {
  reason: 'offline' | 'probe_delayed' | 'unknowable';
  age_seconds: number;
  threshold_seconds: number;
  last_success_at: string;
}

export interface RestSummary {
  servers: number;
  online: number;
  /** Number of players on the servers that are online. */
  players: number;
  /**
   * The numbers of servers, of online servers and of players for each game with tracked servers, the game with most
   * players first.
   */
  games: RestGameSummary[];
}

export interface RestTestDelivery {
  /** Id of the queued test delivery. */
  delivery_id: string;
}

/** A tracked server that has never answered. */
export interface RestTrackedMissing {
  /** Id of the game in the catalog. */
  game_id: string;
  /** Canonical address, `host:port`. */
  server: string;
  /** Text for people that explains why there is no data of the server. */
  message: string;
  _updater: RestUpdater;
}

/** A tracked server that has answered at least once. */
export interface RestTrackedPayload {
  /** Id of the game in the catalog. */
  game_id: string;
  /** Canonical address, `host:port`. */
  server: string;
  /** Name of the server; its address if the server has no name. */
  name: string;
  /** Map or world that is being played. */
  map: string;
  /** Players on the server, bots included; absent if the server does not report it. */
  players?: number;
  /** Maximum number of players; absent if the server does not report it. */
  maxplayers?: number;
  /**
   * Players on the server, the same number as in the key `players`; absent if the server does not report it.
   */
  numplayers?: number;
  /** Bots on the server. */
  numbots: number;
  /** Whether players need a password to join. */
  password: boolean;
  /** Version of the game. */
  version: string;
  /** Milliseconds between the query and its reply. */
  ping: number;
  /** `host:port` that players join. */
  connect: string;
  /** Time of the last valid reply of the server, UTC. */
  updated: string;
  raw: {
    /** Bots on the server, the same number as in the key `numbots`. */
    numbots: number;
    /** Players that the server lists, each with `name`, `score` and `time`. */
    players: {
      name: string;
      score: number;
      time: number;
    }[];
  };
  _updater: RestUpdater;
  _stale?: RestStale;
}

export type RestTrackedServer = RestTrackedPayload | RestTrackedMissing;

/** The players of a server in the last 24 hours. */
export interface RestTrend {
  /** Id of the game in the catalog. */
  game_id: string;
  /** Canonical address, `host:port`. */
  server: string;
  /**
   * Mean number of players of the server in each time step, rounded, the oldest step first. Null for a step if it is
   * not known.
   */
  players: (number | null)[];
}

export interface RestTrends {
  step_seconds: number;
  /** Begin of the first time step. The time steps divide the last 24 hours. The last one is not over yet. */
  from: string;
  /** The players of each server, in the order in which the request names the servers. */
  trends: RestTrend[];
}

/**
 * Status of a server, and the times of its next and last probes. A time is null if there was or will be no such probe.
 */
export interface RestUpdater {
  status: 'pending' | 'online' | 'offline' | 'invalid';
  firewall_interval_minutes: number;
  firewall_label: 'none' | 'rate_limited' | 'challenge_only' | 'filtered' | 'cached';
  next_probe_at: string | null;
  last_probe_at: string | null;
  last_online_at: string | null;
  /**
   * The reason why `status` is `pending` or `offline`. docs/errors.md explains each value. Later versions of the
   * service can add values.
   */
  reason?: 'unprobed' | 'no_reply' | 'refused' | 'malformed' | 'unresolvable_host' | 'blocked_address' | 'needs_credentials' | 'needs_option' | 'directory_unavailable' | 'directory_refused' | 'not_listed' | 'paced' | 'prober_unavailable';
}

export interface RestUptime {
  /** Length of the uptime window (a span of time that ends now), written as in the request, such as `24h`. */
  window: string;
  /**
   * Share of the known part of the uptime window in which the server was online, from 0 to 1; null if no part is known.
   */
  online_share: number | null;
  /** Share of the uptime window for which gsq knows whether the server was online, from 0 to 1. */
  known_share: number;
}

export interface RestUptimeAnswer {
  game_id: string;
  server: string;
  /** The uptime in each window (span of time until now), in the order of the windows in the request. */
  windows: RestUptime[];
}

export interface RestWebhook {
  id: string;
  /** Id of the token that owns the webhook. */
  token_id: string;
  /** URL with the path and the query hidden, because they can be secret. */
  url: string;
  /** Servers that the webhook follows. Empty if the webhook follows a game. */
  servers: RestGroup[];
  /** Id of the game whose servers the webhook follows. Empty if the webhook follows single servers. */
  game: string;
  events: RestWebhookEvent[];
  /**
   * Cooldown: time after a delivery in which a new delivery of the same event and server must wait, such as `5m`.
   */
  cooldown: string;
  /**
   * Form of the requests that gsq sends to the URL of the webhook: `json`, or `discord` for a Discord webhook.
   */
  form: string;
  /**
   * Only for webhooks of the form `discord`: true if gsq keeps one message per server in Discord and edits it, instead
   * of sending new messages.
   */
  one_message: boolean;
  created_at: string;
  /**
   * Time when gsq disabled the webhook, for example because all deliveries failed for a day; null if the webhook is
   * enabled.
   */
  disabled_at: string | null;
  /** Reason why the webhook is disabled, for people; empty if the webhook is enabled. */
  disabled_reason: string;
  /** Number of deliveries that wait in the queue of the webhook. */
  queued: number;
}

export interface RestWebhookAnswer {
  webhook: RestWebhook;
}

/** A condition of a server. The webhook gets a delivery when the condition becomes true. */
export interface RestWebhookEvent {
  /** Name of the event: `online`, `offline`, `full`, `empty`, `map` (the map changed) or `players_over`. */
  event: string;
  /** Only for the event `players_over`: the server must have more players than this. */
  players?: number;
  /**
   * How long the condition must stay true before the delivery, such as `3m` or `90s`, at most 24h. If empty, the
   * delivery is sent at once. Must be empty for the event `map`.
   */
  for?: string;
}

export interface RestWebhookList {
  webhooks: RestWebhook[];
}

export interface RestWebhookRegistration {
  /**
   * URL to which gsq sends the deliveries. It must be an https URL with port 443 or a port that game servers use. http
   * is possible only for targets in GSQ_ALLOW_TARGETS.
   */
  url: string;
  /** Servers to follow, at most 1000. Exactly one of `servers` and `game` is set. */
  servers?: RestGroup[];
  /** Id or alias of a game. The webhook follows all tracked servers of the game that the token can see. */
  game?: string;
  events: RestWebhookEvent[];
  /**
   * Cooldown: time after a delivery in which a new delivery of the same event and server must wait. The default is 1m,
   * the maximum 24h.
   */
  cooldown?: string;
  /**
   * Form of the requests that gsq sends to the URL of the webhook: `json` (the default), or `discord` for a Discord
   * webhook.
   */
  form?: string;
  /**
   * Only for webhooks of the form `discord`: true to keep one message per server in Discord and edit it, instead of
   * sending new messages.
   */
  one_message?: boolean;
}
