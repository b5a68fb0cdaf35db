import { ConfigError } from '../../runtime/config.ts';
import { packageVersion } from '../../runtime/version.ts';

/**
 * Matches a valid contact of the operator: 1 to 200 characters that need no escape in a comment of an HTTP header (RFC
 * 9110, 5.6.5).
 */
const CONTACT = /^[\x20-\x27\x2a-\x5b\x5d-\x7e]{1,200}$/;

/**
 * Returns the User-Agent header for requests to public server lists: project, version and contact of the operator.
 * Throws ConfigError if the contact is too long or not allowed in a header.
 */
export function userAgent(contact: string | undefined): string {
  const project = `gsq/${packageVersion()}`;
  if (contact === undefined) return project;
  if (!CONTACT.test(contact)) {
    throw new ConfigError(
      `GSQ_CONTACT: "${contact.slice(0, 200)}" cannot be sent in a header; write up to 200 characters of ASCII without ( ) \\, such as an e-mail address`,
    );
  }
  return `${project} (${contact})`;
}
