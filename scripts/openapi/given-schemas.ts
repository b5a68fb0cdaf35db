import { invalidReasons } from '../../core/servers/pair-check.ts';
import { labels, reasons, statuses } from '../../core/servers/server-record.ts';
import { type PayloadField, payloadFields, payloadTable, playerFields } from '../../proto/payload-fields.ts';
import { reasons as errorReasons } from '../../proto/reasons.ts';
import { listOf, objectOf, refTo, type Schema, time, timeOrNull } from './schema.ts';

/**
 * Format of the times in the data of a server, as a regular expression. Some clients expect this format, because they
 * were written for a hosted service with the same REST API as gsq.
 */
const TIME_PATTERN = '^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$';
const ABSENT = '; absent if the server does not report it';

/**
 * Returns OpenAPI components (named JSON Schemas), keyed by name. They describe messages whose JSON differs from the
 * protobuf message.
 */
export function givenSchemas(): Record<string, Schema> {
  return { ...commonSchemas(), ...serverSchemas(), ...fetchSchemas(), ...historySchemas() };
}

const TRACKED = {
  game_id: { type: 'string', description: 'Id of the game in the catalog.' },
  server: { type: 'string', description: 'Canonical address, `host:port`.' },
};

function commonSchemas(): Record<string, Schema> {
  return {
    ErrorBody: objectOf(
      {
        error: {
          type: 'string',
          description: 'Code of the error. Codes never change their meaning.',
          enum: Object.keys(errorReasons),
        },
        message: { type: 'string', description: 'Error message for people: what is wrong, and what to do.' },
        request_id: {
          type: 'string',
          description:
            'Id of the request in the logs of the service. Absent only if `error` is GET_1 (the catalog was requested with a method other than GET).',
        },
        quota: {
          type: 'integer',
          description:
            'Number of requests that the token may make in 24 hours. Present only if `error` is QUOTA_1 (the quota is used up).',
        },
        used: {
          type: 'integer',
          description:
            'Number of requests that the token has made in the last 24 hours. Present only if `error` is QUOTA_1.',
        },
        details: listOf(
          objectOf({ path: { type: 'string' }, message: { type: 'string' } }),
          'Faults in the body or in the query parameters of the request. Absent if the error has a different cause.',
        ),
      },
      ['request_id', 'quota', 'used', 'details'],
      'The body of every answer that reports an error.',
    ),
    Game: objectOf(
      {
        id: {
          type: 'string',
          description: 'Id of the game, called `game_id` in other requests.',
          pattern: '^[a-z0-9]+$',
        },
        name: { type: 'string', description: 'Display name.' },
      },
      [],
      'A game of the catalog.',
    ),
    OEmbed: objectOf(
      {
        version: { type: 'string', const: '1.0' },
        type: { type: 'string', const: 'rich' },
        provider_name: { type: 'string' },
        provider_url: { type: 'string' },
        title: { type: 'string' },
        html: { type: 'string', description: 'HTML of an iframe that shows the status of the server.' },
        width: { type: 'integer', minimum: 0 },
        height: { type: 'integer', minimum: 0 },
      },
      [],
      'An answer in the format of https://oembed.com.',
    ),
  };
}

function serverSchemas(): Record<string, Schema> {
  return {
    Updater: objectOf(
      {
        status: { type: 'string', enum: [...statuses, 'invalid'] },
        firewall_interval_minutes: { type: 'integer', minimum: 0 },
        firewall_label: { type: 'string', enum: labels },
        next_probe_at: timeOrNull(),
        last_probe_at: timeOrNull(),
        last_online_at: timeOrNull(),
        reason: {
          type: 'string',
          description:
            'The reason why `status` is `pending` or `offline`. docs/errors.md explains each value. Later versions of the service can add values.',
          enum: reasons,
        },
      },
      ['reason'],
      'Status of a server, and the times of its next and last probes. A time is null if there was or will be no such probe.',
    ),
    Stale: objectOf(
      {
        reason: { type: 'string', enum: ['offline', 'probe_delayed', 'unknowable'] },
        age_seconds: { type: 'integer', minimum: 0 },
        threshold_seconds: { type: 'integer', minimum: 0 },
        last_success_at: time(),
      },
      [],
      'Says that the data of a server is older than `threshold_seconds`, and why. Absent for newer data.',
    ),
    Payload: payloadSchema({}, 'The last data of a server that has answered at least once.'),
    Missing: missingSchema(
      {},
      'A server without data: the server has never answered, or its game or address is not valid.',
    ),
    TrackedPayload: payloadSchema(TRACKED, 'A tracked server that has answered at least once.'),
    TrackedMissing: missingSchema(TRACKED, 'A tracked server that has never answered.'),
    TrackedServer: { anyOf: [refTo('TrackedPayload'), refTo('TrackedMissing')] },
  };
}

function fetchSchemas(): Record<string, Schema> {
  const ref = { game_id: { type: 'string' }, server: { type: 'string' } };
  return {
    ServerRef: objectOf(ref, [], 'A game id and an address, as the request contained them.'),
    InvalidServer: objectOf({
      ...ref,
      reason: { type: 'string', enum: invalidReasons },
      message: { type: 'string', description: 'Text that explains `reason` to people.' },
    }),
    Meta: objectOf(
      {
        auto_inserted: {
          type: 'integer',
          minimum: 0,
          description: 'Number of servers that this request inserted.',
        },
        inserted_servers: listOf(refTo('ServerRef')),
        invalid_servers: listOf(refTo('InvalidServer')),
        duplicate_servers: listOf(
          refTo('ServerRef'),
          'Servers that the answer leaves out. If a request contains an address with two game ids, the answer has the data for only one of them.',
        ),
      },
      ['duplicate_servers'],
    ),
    FetchAnswer: {
      type: 'object',
      description: 'One key for each address, spelled as in the request, and `_meta` as the last key.',
      properties: { _meta: refTo('Meta') },
      required: ['_meta'],
      additionalProperties: { anyOf: [refTo('Payload'), refTo('Missing')] },
    },
  };
}

function historySchemas(): Record<string, Schema> {
  return {
    History: objectOf({
      ...TRACKED,
      step_seconds: { type: 'integer', minimum: 60 },
      from: time(
        'Time at which the history in this answer begins. Each step of the history is `step_seconds` long.',
      ),
      to: time('Time at which the history in this answer ends.'),
      samples: listOf(
        { anyOf: [refTo('HistorySample'), { type: 'null' }] },
        'The players and the uptime in each step of the history, the oldest step first. Null for a step if gsq does not know whether the server was online.',
      ),
    }),
    Trend: objectOf(
      {
        ...TRACKED,
        players: listOf(
          { type: ['integer', 'null'] },
          'Mean number of players of the server in each time step, rounded, the oldest step first. Null for a step if it is not known.',
        ),
      },
      [],
      'The numbers of players of a server in the last 24 hours.',
    ),
    HistorySample: objectOf({
      at: time('Time at which the time step of this sample begins.'),
      players_mean: numberOrNull(
        'Mean number of players in the time step while the server was online; null if unknown.',
      ),
      players_max: numberOrNull('Highest number of players in the time step; null if unknown.'),
      online_share: numberOrNull(
        'Share of the time step in which the server was online, from 0 to 1; null if unknown. Times for which gsq does not know the status do not count.',
      ),
      known_share: {
        type: 'number',
        description: 'Share of the time step for which gsq knows whether the server was online, from 0 to 1.',
      },
    }),
  };
}

function numberOrNull(description: string): Schema {
  return { type: ['number', 'null'], description };
}

function missingSchema(first: Readonly<Record<string, Schema>>, description: string): Schema {
  const message = {
    type: 'string',
    description: 'Explains to people why there is no data of the server.',
  };
  return objectOf({ ...first, message, _updater: refTo('Updater') }, [], description);
}

function payloadSchema(first: Readonly<Record<string, Schema>>, description: string): Schema {
  const properties: Record<string, Schema> = { ...first };
  const raw: Record<string, Schema> = {};
  const optional = ['_stale'];
  for (const row of payloadTable) {
    const field = 'copyOf' in row ? payloadFields.find(({ name }) => name === row.copyOf) : row;
    if (!field) throw new Error(`"${row.json}" repeats a field that is not in the table`);
    const about = `${row.about.charAt(0).toUpperCase()}${row.about.slice(1)}${field.optional ? ABSENT : ''}.`;
    const [key = '', inRaw] = row.json.split('.');
    if (inRaw === undefined) properties[key] = { ...fieldSchema(field), description: about };
    else raw[inRaw] = { ...fieldSchema(field), description: about };
    if (field.optional) optional.push(row.json);
  }
  properties.raw = objectOf(raw);
  return objectOf(
    { ...properties, _updater: refTo('Updater'), _stale: refTo('Stale') },
    optional,
    description,
  );
}

function fieldSchema(field: PayloadField): Schema {
  switch (field.type) {
    case 'string':
      return { type: 'string', maxLength: field.max };
    case 'bool':
      return { type: 'boolean' };
    case 'time':
      return { type: 'string', pattern: TIME_PATTERN };
    case 'players': {
      const properties = Object.fromEntries(playerFields.map(each => [each.json, fieldSchema(each)]));
      return { ...listOf(objectOf(properties)), maxItems: field.max };
    }
    default:
      return { type: 'integer', minimum: field.min ?? 0, maximum: field.max };
  }
}
