import { describe, expect, test } from 'bun:test'
import { networksFrom } from '../../src/networks'
import { checkDestination, type Lookup } from '../../src/networks/destination'
import { isPublicAddress } from '../../src/networks/public-addresses'

const nothing = networksFrom([])

const answering =
  (...addresses: string[]): Lookup =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

const noLookup: Lookup = async (host) => {
  throw new Error(`${host} was looked up`)
}

const check = (url: string, lookup = noLookup, allowed = nothing) => checkDestination(url, { allowed, lookup })

describe('URLs that are refused without a DNS look-up', () => {
  test.each([
    // loopback, in every way the URL parser understands
    'http://127.0.0.1/',
    'http://127.0.0.1:8080/',
    'http://127.0.0.1./',
    'http://127.1/',
    'http://127.0.1/',
    'http://127.255.255.254/',
    'http://2130706433/',
    'http://017700000001/',
    'http://0x7f000001/',
    'http://0X7F.0.0.0x1/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://0177.0x0.0.01/',
    'http://127。0。0。1/',
    'http://１２７.０.０.１/',
    'http://①②⑦.⓪.⓪.①/',
    'http://%31%32%37.0.0.1/',
    'http://127.0.0.1%2e/',
    'http:127.0.0.1/',
    'http:\\\\127.0.0.1\\',
    'http://127.0\t.0.1/',
    ' http://127.0.0.1/ ',
    'https://[::1]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[0000::0001]/',
    // unspecified
    'http://0/',
    'http://0.0.0.0/',
    'http://0x0/',
    'http://[::]/',
    // private, link-local, metadata
    'http://10.0.0.1/',
    'http://167772161/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://0xc0.0xa8.0x1.0x1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://0251.0376.0251.0376/',
    'http://169.254.43518/',
    'http://100.100.100.200/',
    'http://168.63.129.16/',
    'http://192.0.0.192/',
    'http://[fe80::1]/',
    'http://[fec0::1]/',
    'http://[fd00:ec2::254]/',
    // other ranges that are no public host
    'http://198.18.0.1/',
    'http://192.0.2.1/',
    'http://198.51.100.7/',
    'http://203.0.113.9/',
    'http://192.88.99.1/',
    'http://224.0.0.1/',
    'http://240.0.0.1/',
    'http://255.255.255.255/',
    'http://4294967295/',
    'http://[ff02::1]/',
    'http://[100::1]/',
    'http://[2001:db8::1]/',
    'http://[3fff::1]/',
    'http://[5f00::1]/',
    // IPv4 inside IPv6, even a public one
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::FFFF:169.254.169.254]/',
    'http://[::ffff:8.8.8.8]/',
    'http://[::127.0.0.1]/',
    'http://[::ffff:0:127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[64:ff9b::169.254.169.254]/',
    'http://[64:ff9b:1::10.0.0.1]/',
    'http://[2002:7f00:1::]/',
    'http://[2002:a9fe:a9fe::1]/',
    'http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/',
    // names that mean something only inside
    'http://localhost/',
    'http://LOCALHOST/',
    'http://localhost./',
    'http://localhost:3000/',
    'http://ⓛocalhost/',
    'http://ｌｏｃａｌｈｏｓｔ/',
    'http://loc\u00adalhost/',
    'http://%6cocalhost/',
    'http://app.localhost/',
    'http://app.localhost./',
    'http://localhost.localdomain/',
    'http://printer.local/',
    'http://printer。local/',
    'http://metadata.google.internal/computeMetadata/v1/',
    'http://METADATA.Google.Internal./',
    'http://instance-data.ec2.internal/',
    'http://host.docker.internal/',
    'http://router.home.arpa/',
    'http://nas.lan/',
    'http://wiki.corp/',
    'http://metadata/',
    'http://postgres:5432/',
    'http://xn--mnchen-3ya/',
    // not a place to send anything to
    'ftp://example.com/',
    'file:///etc/passwd',
    'gopher://example.com/',
    'ws://example.com/',
    'data:text/plain,hello',
    'javascript:alert(1)',
    'unix:/var/run/docker.sock',
    '//example.com/',
    '/hooks',
    'example.com',
    '',
    'http://',
    'http://./',
    'http://example..com/',
    'http://example.com../',
    'http://.example.com/',
    'http://*.example.com/',
    `http://${'a'.repeat(64)}.example.com/`,
    `http://${'a.'.repeat(130)}example.com/`,
    'http://example.com:0/',
    'http://example.com:65536/',
    'http://ada@example.com/',
    'http://ada:secret@example.com/',
    'http://:secret@example.com/',
    'http://example.com@127.0.0.1/',
    'http://[fe80::1%25eth0]/',
    'http://256.1.1.1/',
    'http://1.2.3.4.5/',
  ])('%s', async (url) => {
    await expect(check(url)).rejects.toMatchObject({ name: 'DeliveryError', reason: 'refused_destination' })
  })
})

describe('names that are refused for their addresses', () => {
  test.each([
    [['127.0.0.1']],
    [['10.1.2.3']],
    [['172.31.255.255']],
    [['192.168.0.10']],
    [['169.254.169.254']],
    [['100.64.0.1']],
    [['0.0.0.0']],
    [['::1']],
    [['::']],
    [['fd12:3456::1']],
    [['fe80::1']],
    [['fe80::1%eth0']],
    [['2606:4700::1111%eth0']],
    [['::ffff:10.0.0.1']],
    [['::ffff:1.1.1.1']],
    [['64:ff9b::a00:1']],
    [['1.1.1.1', '10.0.0.1']],
    [['10.0.0.1', '1.1.1.1']],
    [['2606:4700:4700::1111', '1.1.1.1', '::1']],
    [['not an address']],
    [['']],
  ])('%p', async (addresses) => {
    const found = answering(...addresses)
    await expect(check('https://hooks.example.com/', found)).rejects.toMatchObject({ reason: 'refused_destination' })
  })

  test('the error does not contain the address', async () => {
    const error = await check('https://hooks.example.com/', answering('10.9.8.7')).catch((error) => error)
    expect(error.message).toContain('hooks.example.com')
    expect(error.message).not.toContain('10.9.8.7')
  })

  test('a local name is refused even with a public address', async () => {
    const allowed = networksFrom(['10.0.0.0/8'])
    await expect(check('http://metadata.google.internal/', answering('1.1.1.1'), allowed)).rejects.toMatchObject({
      reason: 'refused_destination',
    })
  })
})

describe('destinations that are allowed', () => {
  test.each([
    ['https://hooks.example.com/x?y=1', 'hooks.example.com', 443],
    ['http://hooks.example.com/', 'hooks.example.com', 80],
    ['https://hooks.example.com:8443/', 'hooks.example.com', 8443],
    ['HTTPS://Hooks.Example.COM./', 'hooks.example.com', 443],
    ['https://münchen.example/', 'xn--mnchen-3ya.example', 443],
    ['https://my_hooks.example.com/', 'my_hooks.example.com', 443],
    ['https://localhost.example.com/', 'localhost.example.com', 443],
    ['https://notlocal.example/', 'notlocal.example', 443],
  ])('%s', async (url, host, port) => {
    const asked: string[] = []
    const destination = await check(url, async (name) => {
      asked.push(name)
      return [{ address: '1.1.1.1', family: 4 }]
    })
    expect(destination).toMatchObject({ host, port, address: '1.1.1.1', family: 4 })
    expect(asked).toEqual([host])
  })

  test.each([
    ['http://1.1.1.1/', '1.1.1.1', 4],
    ['http://0x01010101/', '1.1.1.1', 4],
    ['https://[2606:4700:4700::1111]:8443/', '2606:4700:4700::1111', 6],
  ] as const)('%s is not looked up', async (url, address, family) => {
    expect(await check(url)).toMatchObject({ host: address, address, family, addresses: [{ address, family }] })
  })

  test('all addresses are kept, in order', async () => {
    const { address, family, addresses } = await check('https://a.example/', answering('2606:4700::1', '1.0.0.1'))
    expect({ address, family }).toEqual({ address: '2606:4700::1', family: 6 })
    expect(addresses).toEqual([
      { address: '2606:4700::1', family: 6 },
      { address: '1.0.0.1', family: 4 },
    ])
  })
})

describe('networks that the operator allowed', () => {
  const allowed = networksFrom(['10.1.0.0/16', '127.0.0.1', 'fd00:1::/32'])

  test.each(['http://10.1.2.3/', 'http://127.1/', 'http://[fd00:1::5]/', 'http://1.1.1.1/'])(
    '%s is let through',
    async (url) => {
      expect((await check(url, noLookup, allowed)).port).toBe(80)
    },
  )

  test.each([
    'http://10.2.0.1/',
    'http://127.0.0.2/',
    'http://[fd00:2::5]/',
    'http://[::ffff:10.1.2.3]/',
    'http://[::ffff:127.0.0.1]/',
  ])('%s is not', async (url) => {
    await expect(check(url, noLookup, allowed)).rejects.toMatchObject({ reason: 'refused_destination' })
  })

  test('names may resolve to them', async () => {
    for (const url of ['http://bot:3000/', 'http://bot.internal/', 'http://bot.example.com/', 'http://localhost/']) {
      expect(await check(url, answering('10.1.2.3'), allowed)).toMatchObject({ address: '10.1.2.3' })
    }
    await expect(check('http://bot/', answering('10.1.2.3', '10.2.0.1'), allowed)).rejects.toMatchObject({
      reason: 'refused_destination',
    })
  })

  test('allowing all of IPv6 does not allow IPv4', () => {
    expect(networksFrom(['::/0']).has('10.0.0.1')).toBe(false)
    expect(networksFrom(['0.0.0.0/0']).has('::1')).toBe(false)
  })

  test.each(['10.0.0.0/33', '10.0.0/8', 'fd00::/129', '10.0.0.0/', '10.0.0.0/8/8', 'bot', ''])(
    '%p is not a network',
    (network) => {
      expect(() => networksFrom([network])).toThrow(TypeError)
    },
  )
})

describe('the DNS look-up', () => {
  test('happens once, to prevent DNS rebinding', async () => {
    let times = 0
    const rebinding: Lookup = async () => {
      times += 1
      return [{ address: times === 1 ? '1.1.1.1' : '127.0.0.1', family: 4 }]
    }
    expect(await check('http://rebind.example.com/', rebinding)).toMatchObject({ address: '1.1.1.1' })
    expect(times).toBe(1)
  })

  test('of an unknown name is a connection error', async () => {
    const unknown: Lookup = () => Promise.reject(Object.assign(new Error('ENOTFOUND'), { code: 'ENOTFOUND' }))
    await expect(check('http://gone.example.com/', unknown)).rejects.toMatchObject({ reason: 'connection' })
    await expect(check('http://gone.example.com/', answering())).rejects.toMatchObject({ reason: 'connection' })
  })

  test('times out', async () => {
    const lookup: Lookup = () => new Promise(() => {})
    const late = checkDestination('http://slow.example.com/', { allowed: nothing, lookup, timeoutMs: 20 })
    await expect(late).rejects.toMatchObject({ reason: 'timeout' })
  })

  test('uses the system resolver by default', async () => {
    const allowed = networksFrom(['127.0.0.0/8', '::1'])
    const { address } = await checkDestination('http://localhost:3000/', { allowed })
    expect(['127.0.0.1', '::1']).toContain(address)
  })
})

describe('the edges of public networks', () => {
  const edges: [before: string, first: string, last: string, after: string][] = [
    ['', '0.0.0.0', '0.255.255.255', '1.0.0.0'],
    ['9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
    ['100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
    ['126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
    ['168.63.129.15', '168.63.129.16', '168.63.129.16', '168.63.129.17'],
    ['169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
    ['172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
    ['191.255.255.255', '192.0.0.0', '192.0.0.255', '192.0.1.0'],
    ['192.0.1.255', '192.0.2.0', '192.0.2.255', '192.0.3.0'],
    ['192.31.195.255', '192.31.196.0', '192.31.196.255', '192.31.197.0'],
    ['192.52.192.255', '192.52.193.0', '192.52.193.255', '192.52.194.0'],
    ['192.88.98.255', '192.88.99.0', '192.88.99.255', '192.88.100.0'],
    ['192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
    ['192.175.47.255', '192.175.48.0', '192.175.48.255', '192.175.49.0'],
    ['198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
    ['198.51.99.255', '198.51.100.0', '198.51.100.255', '198.51.101.0'],
    ['203.0.112.255', '203.0.113.0', '203.0.113.255', '203.0.114.0'],
    ['223.255.255.255', '224.0.0.0', '255.255.255.255', ''],
    ['', '::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2000::'],
    ['2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:200::'],
    ['2001:db7:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db9::'],
    ['2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2003::'],
    ['2620:4f:7fff:ffff::', '2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff', '2620:4f:8001::'],
    ['3ffd:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3ffe::', '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:1000::'],
    ['', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:1000::'],
    ['3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', ''],
  ]

  test.each(edges)('%s | %s – %s | %s', (before, first, last, after) => {
    expect([first, last].map(isPublicAddress)).toEqual([false, false])
    for (const outside of [before, after].filter(Boolean))
      expect([outside, isPublicAddress(outside)]).toEqual([outside, true])
  })
})
