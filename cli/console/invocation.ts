/**
 * Returns a gsq command as a user can paste it into a shell in the folder of the project. `words`: the command without
 * the program name, such as `servers list`. With --silent, npm writes nothing of its own to stdout.
 */
export function gsqCommand(words: string): string {
  return `npm run --silent gsq -- ${words}`;
}
