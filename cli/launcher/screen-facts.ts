import { isAbsolute, relative, resolve } from 'node:path';
import { settings } from '../../runtime/settings.ts';
import { dial } from './screen.ts';

/** Returns a path relative to the working directory if it is inside this directory. */
export function shortPath(path: string): string {
  const inside = relative('', path);
  return inside.startsWith('..') || isAbsolute(inside) ? resolve(path) : `./${inside}`;
}

/**
 * Returns the settings that a `gsq` command in another shell needs to find this service, because they differ from the
 * defaults. `dataDirectory`: undefined if the commands do not need it.
 */
export function changedSettings(
  addresses: Readonly<Record<string, string>>,
  dataDirectory: string | undefined,
): Record<string, string> {
  const changed: Record<string, string> = {};
  for (const name of ['GSQ_GRPC_ADDR', 'GSQ_INTERNAL_ADDR'] as const) {
    const address = dial(addresses[name]);
    if (address !== settings[name].default) changed[name] = address;
  }
  if (dataDirectory !== undefined && resolve(dataDirectory) !== resolve(settings.GSQ_DATA_DIR.default))
    changed.GSQ_DATA_DIR = resolve(dataDirectory);
  return changed;
}

/** Returns what happened to the data when the processes ended. `unfinished`: processes that did not end in order. */
export function farewell(
  unfinished: readonly string[],
  temporary: boolean,
  { GSQ_DATA_DIR: directory = settings.GSQ_DATA_DIR.default }: Record<string, string | undefined>,
): string {
  if (temporary) return 'the data of the demo is deleted';
  const stored = `is stored in ${shortPath(directory)}`;
  if (unfinished.length === 0) return `all data ${stored}`;
  return `${unfinished.join(', ')} did not finish; what callers were told ${stored}`;
}
