/** The network an IP literal is in, as its canonical text begins: a /24 of IPv4, a /48 of IPv6. */
export function networkOf(ip: string): string {
  if (!ip.includes(':')) return ip.slice(0, ip.lastIndexOf('.'));
  const [head = '', tail] = ip.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const rest = tail === '' ? 0 : tail.split(':').length + (tail.includes('.') ? 1 : 0);
    while (groups.length + rest < 8) groups.push('0');
    groups.push(...tail.split(':'));
  }
  return `${groups[0]}:${groups[1]}:${groups[2]}`;
}
