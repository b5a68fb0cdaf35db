import { ByteWriter } from '../../proto/codec/byte-writer.ts';
import { type FieldViolation, ServiceError } from '../../proto/service-error.ts';
import { writeGroups } from '../../proto/streams/fetch-replies.ts';
import { isObject, kindOf, mustBe, parseJson } from '../http/json-text.ts';
import { BodyScanner } from './body-scanner.ts';

/** A game and the server addresses in a fetch body, exactly as the caller wrote them. */
interface ServerGroup {
  gameId: string;
  servers: string[];
}

const NO_GROUP: ServerGroup = { gameId: '', servers: [] };
const MAX_VIOLATIONS = 20;
const SHAPE = '{"servers":[{"game_id":"...","servers":["host:port"]}]}';

const scanner = new BodyScanner();
/**
 * The buffer into which every fetch body is encoded. One buffer is enough, because an encoded body is copied into a
 * message to the core before the next body is encoded.
 */
const writer = new ByteWriter();

/**
 * Encodes a fetch body as a FetchServersRequest. Ignores unknown keys. The returned writer is valid until the next
 * call. Throws POST_2 with at most 20 faults if the JSON has a wrong shape.
 */
export function readFetchRequest(bytes: Buffer): ByteWriter {
  writer.length = 0;
  if (!scanner.scanBody(bytes, writer)) writeGroups(writer, parseGroups(bytes));
  return writer;
}

function parseGroups(bytes: Buffer): ServerGroup[] {
  const violations: FieldViolation[] = [];
  const groups = readGroups(parseJson(bytes, `JSON like ${SHAPE}`), violations);
  const [first] = violations;
  if (first) {
    const where = first.path === '' ? 'it' : first.path;
    throw new ServiceError('POST_2', `The body must look like ${SHAPE}: ${where} ${first.message}.`, {
      violations,
    });
  }
  return groups;
}

function readGroups(body: unknown, violations: FieldViolation[]): ServerGroup[] {
  if (!isObject(body)) {
    violations.push({ path: '', message: `must be an object, not ${kindOf(body)}` });
    return [];
  }
  if (!Array.isArray(body.servers)) {
    violations.push({ path: 'servers', message: mustBe('an array of groups', body.servers) });
    return [];
  }
  const groups: ServerGroup[] = [];
  for (const [i, group] of body.servers.entries()) {
    if (violations.length >= MAX_VIOLATIONS) break;
    groups.push(readGroup(group, `servers[${i}]`, violations));
  }
  return groups;
}

function readGroup(group: unknown, path: string, violations: FieldViolation[]): ServerGroup {
  if (!isObject(group)) {
    violations.push({ path, message: mustBe('an object with game_id and servers', group) });
    return NO_GROUP;
  }
  const { game_id: gameId, servers } = group;
  checkText(gameId, `${path}.game_id`, violations);
  if (!Array.isArray(servers)) {
    violations.push({ path: `${path}.servers`, message: mustBe('an array of addresses', servers) });
    return NO_GROUP;
  }
  for (let i = 0; i < servers.length && violations.length < MAX_VIOLATIONS; i++) {
    checkText(servers[i], `${path}.servers[${i}]`, violations);
  }
  return violations.length === 0 ? { gameId: String(gameId), servers } : NO_GROUP;
}

function checkText(value: unknown, path: string, violations: FieldViolation[]): void {
  if (typeof value !== 'string') {
    violations.push({ path, message: mustBe('a string', value) });
  } else if (!value.isWellFormed()) {
    violations.push({ path, message: 'holds half of a surrogate pair, which is no Unicode text' });
  }
}
