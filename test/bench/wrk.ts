import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { cpuOfEndedChildren } from './process-usage.ts';
import { fetchHead, type LoadRequests } from './requests.ts';
import { addressForm, games } from './tracked-servers.ts';

const run = promisify(execFile);

/** Resolves to the name and version of the program wrk, or to undefined if wrk is not on PATH. */
export async function wrkVersion(): Promise<string | undefined> {
  // Ignores the exit status: `wrk -v` prints the version, but always exits with an error status.
  const result: { stdout?: string; code?: unknown } = await run('wrk', ['-v']).catch(error => error);
  return result.code === 'ENOENT' ? undefined : /^wrk \S+/.exec(result.stdout ?? '')?.[0];
}

/** Quotes ASCII text as a Lua string. */
const lua = (text: string): string => JSON.stringify(text);

/**
 * Returns the source of a Lua function that builds the same kind of requests as the TypeScript function `requestsOf`.
 * Throws if wrk cannot send requests of this kind.
 */
function requestFunction(load: LoadRequests): string {
  if (load.kind === 'same') return `request = function() return ${lua(load.request)} end`;
  if (load.kind === 'any') throw new Error('many requests are for our own generator');
  if (load.kind === 'new') throw new Error('wrk does not know when to end');
  const { octet, octets, port, ports } = addressForm;
  const length = '{"servers":[{"game_id":"","servers":["127.100.100.100:27000"]}]}'.length;
  return `
    local heads = {}
    for i, game in ipairs({ ${games.map(lua).join(', ')} }) do
      heads[i] = ${lua(fetchHead)} .. (#game + ${length}) .. "\\r\\n\\r\\n" ..
        '{"servers":[{"game_id":"' .. game .. '","servers":["127.'
    end
    local floor, random, format = math.floor, math.random, string.format
    request = function()
      local i = random(0, ${load.servers - 1})
      local address = format('%d.%d.%d:%d', ${octet} + floor(i / ${octets ** 2}),
        ${octet} + floor(i / ${octets}) % ${octets}, ${octet} + i % ${octets}, ${port} + i % ${ports})
      return heads[i % ${games.length} + 1] .. address .. '"]}]}'
    end`;
}

const done = `
done = function(summary)
  local errors = summary.errors
  io.write(string.format('{"answers":%d,"microseconds":%d,"faults":%d}', summary.requests, summary.duration,
    errors.connect + errors.read + errors.write + errors.timeout + errors.status))
end`;

/**
 * Sends load with one thread of wrk. Each connection sends its next request when the previous request is answered.
 * Rejects if wrk reports a failed request or a response with an error status.
 */
export async function runWrk(load: {
  address: string;
  requests: LoadRequests;
  connections: number;
  seconds: number;
}): Promise<{ answers: number; seconds: number; cpu: number | undefined }> {
  const script = join(scratchDirectory(), 'requests.lua');
  const seed = `math.randomseed(${Math.floor(Math.random() * 2 ** 31)})`;
  writeFileSync(script, [seed, requestFunction(load.requests), done].join('\n'));
  const duration = `${Math.max(1, Math.round(load.seconds))}s`;
  const args = ['-t1', `-c${load.connections}`, `-d${duration}`, '-s', script, `http://${load.address}`];
  const before = cpuOfEndedChildren();
  const { stdout } = await run('wrk', args);
  const after = cpuOfEndedChildren();
  const found = /\{"answers".*\}/.exec(stdout)?.[0];
  if (!found) throw new Error(`wrk said nothing of its result:\n${stdout}`);
  const { answers, microseconds, faults } = JSON.parse(found);
  if (faults > 0) throw new Error(`${faults} of ${answers} requests were not answered 200`);
  const cpu = before === undefined || after === undefined ? undefined : after - before;
  return { answers, seconds: microseconds / 1e6, cpu };
}
