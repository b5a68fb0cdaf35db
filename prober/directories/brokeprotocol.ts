import type { RawStatus } from '../answers/raw-status.ts';
import { UnknowableError } from '../answers/unknowable-error.ts';
import { number } from '../answers/untyped-values.ts';
import { type Directory, idKey, listKey, listKeys } from './directory.ts';
import { arrayOf, leadingCount, portOf, readJson, toldCounts } from './entry-values.ts';
import { type ListSource, ServerList } from './server-list.ts';

/** Matches a colour code in a server name: `&` and a hexadecimal digit. */
const COLOUR = /&[0-9a-f]/g;

/**
 * The public server lists of BROKE PROTOCOL. gsq first reads the list of a community service (bp.userr00t.com). If this
 * list fails, gsq reads the official list of the game (brokeprotocol.com). Source: `protocols/brokeprotocolmaster.js`
 * of gamedig 5.3.3.
 */
export const brokeprotocol: Directory = {
  name: 'brokeprotocol',
  kind: 'list',
  protocols: ['brokeprotocol'],
  origins: ['https://bp.userr00t.com', 'https://brokeprotocol.com'],
  perMinute: 1,
  open({ hosts: [community, game], now }) {
    if (!community || !game) throw new RangeError('brokeprotocol has two hosts');
    const first = new ServerList('brokeprotocol', community, COMMUNITY, now);
    const second = new ServerList('brokeprotocol', game, GAME, now);
    return async question => {
      const keys = listKeys(question);
      try {
        return await first.find(keys);
      } catch (error) {
        if (!(error instanceof UnknowableError) || error.answer.kind === 'not-listed') throw error;
        return await second.find(keys);
      }
    };
  },
};

const COMMUNITY = source('/serverbrowser/api/server?snapshotInterval=1h', body => anyCase(body, 'servers'));
const GAME = source('/servers.json', body => body);

function source(path: string, servers: (body: unknown) => unknown): ListSource {
  return {
    path,
    *entries(body) {
      for (const entry of arrayOf(servers(readJson(body)))) {
        const ip = anyCase(entry, 'ip');
        if (typeof ip === 'string') yield [listKey(ip, portOf(anyCase(entry, 'port'))), entry];
        const id = textOf(entry, 'id');
        if (id) yield [idKey(id), entry];
      }
    },
    read,
  };
}

function read(entry: unknown): RawStatus {
  const status: RawStatus = {
    name: textOf(entry, 'name').replace(COLOUR, '').trim(),
    map: textOf(anyCase(entry, 'map'), 'name'),
    // In the list of brokeprotocol.com, each server has one player count. In the list of bp.userr00t.com, each server
    // has several player counts with their times, and gsq uses the latest count.
    ...toldCounts(
      leadingCount(anyCase(entry, 'playercount') ?? anyCase(latestSample(entry), 'playercount')),
      leadingCount(anyCase(entry, 'playerlimit')),
    ),
    version: textOf(entry, 'version'),
  };
  const port = portOf(anyCase(entry, 'port'));
  if (port > 0 && port <= 65_535) status.connectPort = port;
  return status;
}

function latestSample(entry: unknown): unknown {
  const samples = anyCase(entry, 'snapshots');
  if (!Array.isArray(samples)) return undefined;
  const takenAt = (sample: unknown) => number(anyCase(sample, 'at')) ?? 0;
  return samples.reduce((latest, each) => (takenAt(each) > takenAt(latest) ? each : latest), samples[0]);
}

/**
 * Returns a property, ignoring upper and lower case in its name. The two server lists of BROKE PROTOCOL use the same
 * property names, but differ in upper and lower case.
 */
function anyCase(object: unknown, key: string): unknown {
  if (typeof object !== 'object' || object === null) return undefined;
  return Object.entries(object).find(([name]) => name.toLowerCase() === key)?.[1];
}

function textOf(object: unknown, key: string): string {
  const value = anyCase(object, key);
  return typeof value === 'string' ? value.slice(0, 4096) : '';
}
