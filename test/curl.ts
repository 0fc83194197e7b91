/** The options of curl that the examples use, for machines without it: -s -i -X -H -d -G --data-binary --data-urlencode. */
const { values, positionals } = (await import('node:util')).parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: {
    silent: { type: 'boolean', short: 's' },
    include: { type: 'boolean', short: 'i' },
    request: { type: 'string', short: 'X' },
    header: { type: 'string', short: 'H', multiple: true },
    data: { type: 'string', short: 'd', multiple: true },
    'data-binary': { type: 'string', multiple: true },
    'data-urlencode': { type: 'string', multiple: true },
    get: { type: 'boolean', short: 'G' },
  },
})

const encoded = (values['data-urlencode'] ?? []).map((pair) => {
  const equals = pair.indexOf('=')
  return `${pair.slice(0, equals)}=${encodeURIComponent(pair.slice(equals + 1))}`
})
const data = [...(values.data ?? []), ...(values['data-binary'] ?? []), ...encoded].join('&')
const body = values.get || data === '' ? undefined : data

const response = await fetch(values.get ? `${positionals[0]}?${data}` : positionals[0]!, {
  method: values.request ?? (body === undefined ? 'GET' : 'POST'),
  headers: (values.header ?? []).map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()]
  }),
  body,
})
if (values.include) {
  const fields = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`).join('')
  process.stdout.write(`HTTP/1.1 ${response.status} ${response.statusText}\r\n${fields}\r\n`)
}
process.stdout.write(await response.text())

export {}
