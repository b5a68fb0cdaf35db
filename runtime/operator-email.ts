import { hostname, userInfo } from 'node:os';

const MAX_PART = 32;

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // `userInfo` throws if the system has no name for the user of this process, for example in a container.
    return '';
  }
}

/**
 * Replaces the characters of a user or host name that would need quotes in a shell or are not allowed in an e-mail
 * address.
 */
function clean(text: string, ifEmpty: string): string {
  return text.replace(/[^A-Za-z0-9._-]/g, '-').slice(0, MAX_PART) || ifEmpty;
}

/**
 * Returns the default e-mail address for the bootstrap token, such as `ada@workbench`. The host name is cut at its
 * first dot, so nobody on the internet has this address.
 */
export function operatorEmail(user: string = userName(), host: string = hostname()): string {
  return `${clean(user, 'gsq')}@${clean(host.split('.')[0] ?? '', 'localhost')}`;
}
