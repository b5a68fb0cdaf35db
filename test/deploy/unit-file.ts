/** One setting of a systemd unit file. */
export interface UnitSetting {
  section: string;
  name: string;
  value: string;
}

/** Returns the settings of a systemd unit file, in the order of the file. Fails if it cannot parse a line. */
export function readUnit(text: string): UnitSetting[] {
  const settings: UnitSetting[] = [];
  let section = '';
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, heading] = /^\[(\w+)\]$/.exec(line) ?? [];
    const [, name, value] = /^(\w+)=(.*[^\\]|)$/.exec(line) ?? [];
    if (heading !== undefined) section = heading;
    else if (name !== undefined && value !== undefined) settings.push({ section, name, value });
    else throw new Error(`not a line of a unit file: ${line}`);
  }
  return settings;
}

/** Returns the values of all settings with this name in a systemd unit file, in the order of the file. */
export function valuesOf(unit: readonly UnitSetting[], name: string): string[] {
  return unit.filter(setting => setting.name === name).map(({ value }) => value);
}

/** Returns the value of a setting that a systemd unit file contains exactly once. */
export function onlyValue(unit: readonly UnitSetting[], name: string): string {
  const [value, ...others] = valuesOf(unit, name);
  if (value === undefined || others.length > 0) throw new Error(`${name}= is not there exactly once`);
  return value;
}

/** Returns the variables of a systemd EnvironmentFile. Supports only lines `NAME=value` without quotes. */
export function readEnvironment(text: string): Record<string, string> {
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(lines.map(line => [line.split('=')[0], line.slice(line.indexOf('=') + 1)]));
}
