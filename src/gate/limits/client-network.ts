/** What a client is limited by: its IPv4 address, or the /64 network of its IPv6 address, which is one home's. */
export const networkOf = (address: string) => (address.includes(':') ? firstHalf(address).join(':') : address)

function firstHalf(address: string): string[] {
  const [start = '', end] = address.split('::')
  const groups = (text = '') =>
    text
      .split(':')
      .filter(Boolean)
      .map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
  const [left, right] = [groups(start), groups(end)]
  const zeros = end === undefined ? [] : Array(Math.max(0, 8 - left.length - right.length)).fill('0')
  return [...left, ...zeros, ...right].slice(0, 4)
}
