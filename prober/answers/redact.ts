/** What stands where a secret was. */
const REDACTED = '(hidden)';

/** A text in which a secret does not stand, neither as it is nor as it is written in a URL. */
export function withoutSecret(text: string, secret: string): string {
  if (secret === '') return text;
  const forms = [secret, encodeURIComponent(secret), new URLSearchParams({ x: secret }).toString().slice(2)];
  return forms.reduce((shown, form) => shown.replaceAll(form, REDACTED), text);
}
