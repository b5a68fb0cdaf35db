import { readFileSync } from 'node:fs';

/**
 * Returns the commands in the `bash` block below a heading of a page, such as `### 3. Start`. Fails unless there is
 * exactly one block before the next heading.
 */
export function commandsBelow(heading: string, path = 'docs/operations.md'): string {
  const page = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const [, below = ''] = page.split(`\n${heading}\n`);
  const [text = ''] = below.split(/\n##/);
  const [block, ...others] = [...text.matchAll(/^```bash\n(.*?)^```$/gms)].map(([, commands]) => commands);
  if (block === undefined || others.length > 0) {
    throw new Error(`${path} does not have exactly one bash block below "${heading}"`);
  }
  return block;
}

/** Headings on docs/operations.md. Below each heading is a block of commands for the systemd units. */
export const systemdHeadings = {
  install: '### 2. Create the users, the secret and the units',
  start: '### 3. Start',
  token: '### 4. Create a token and fetch',
  certificates: '### Certificates and other secrets',
  machines: '### Several machines under systemd',
  oldUnits: '### Units of version 0.1.0',
} as const;
