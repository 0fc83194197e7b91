import { describe, expect, test } from 'bun:test'
import { readConfig } from '../../src/config'
import { parsePostgresUrl } from '../../src/store/engines/postgres/hosts'

const urlsOf = (text: string) => parsePostgresUrl(text)?.hosts.map(({ url }) => url)
const namesOf = (text: string) => parsePostgresUrl(text)?.hosts.map(({ name }) => name)
const needsOf = (text: string) => parsePostgresUrl(text)?.needs

describe('a DATABASE_URL with several hosts', () => {
  test('is one URL for each host, with the user, the database and the options of all', () => {
    expect(urlsOf('postgres://ada:p%40ss@db1:5432,db2:5433,db3/parley?sslmode=verify-full')).toEqual([
      'postgres://ada:p%40ss@db1:5432/parley?sslmode=verify-full',
      'postgres://ada:p%40ss@db2:5433/parley?sslmode=verify-full',
      'postgres://ada:p%40ss@db3/parley?sslmode=verify-full',
    ])
    expect(urlsOf('postgresql://db1,db2/parley')).toEqual(['postgresql://db1/parley', 'postgresql://db2/parley'])
  })

  test('takes IPv6 addresses, sockets and percent-encoded names', () => {
    const text = 'postgres://ada@[::1]:5433,[fe80::1],db%2D3.example%2ecom,%2Frun%2Fpostgresql:5434/parley'
    expect(namesOf(text)).toEqual(['[::1]:5433', '[fe80::1]', 'db-3.example.com', '/run/postgresql:5434'])
    expect(urlsOf(text)![2]).toBe('postgres://ada@db-3.example.com/parley')
    expect(urlsOf(text)![3]).toBe('postgres://ada@%2Frun%2Fpostgresql:5434/parley')
  })

  test('may have commas and @ in the password', () => {
    expect(urlsOf('postgres://ada:a,b@c,d@db1,db2/parley')).toEqual([
      'postgres://ada:a,b@c,d@db1/parley',
      'postgres://ada:a,b@c,d@db2/parley',
    ])
  })

  test('needs a server that takes writes, unless it says otherwise; with one host any will do', () => {
    expect(needsOf('postgres://db1,db2/parley')).toBe('read-write')
    expect(needsOf('postgres://db1,db2/parley?target_session_attrs=any')).toBe('any')
    expect(needsOf('postgres://db1,db2/parley?sslmode=require&target_session_attrs=primary')).toBe('primary')
    expect(needsOf('postgres://db1/parley')).toBe('any')
    expect(needsOf('postgres://db1/parley?target_session_attrs=read-write')).toBe('read-write')
  })

  test('is printed without the password and the options', () => {
    const location = (text: string) => parsePostgresUrl(text)?.location
    expect(location('postgres://ada:hunter2@db1:5432,[::1]/parley?password=hunter2')).toBe(
      'postgres://ada:***@db1:5432,[::1]/parley',
    )
    expect(location('postgres://ada:hunter2@hunter2,x@db1/parley')).toBe('postgres://ada:***@db1/parley')
    expect(location('postgres://ada@db1/parley#hunter2')).toBe('postgres://ada@db1/parley')
    expect(location('postgres:///parley')).toBe('postgres:///parley')
  })

  test.each([
    'postgres://db1,/parley',
    'postgres://,db1/parley',
    'postgres://db1,,db2/parley',
    'postgres://db1,db2',
    'postgres://db1,db2/',
    'postgres://db1:x,db2/parley',
    'postgres://db1,db2:70000/parley',
    'postgres://db1,[::1/parley',
    'postgres://db1,::1/parley',
    'postgres://db1,d b2/parley',
    'postgres://db1,db%ZZ/parley',
    'postgres://db1,db2/%ZZ',
    'postgres://db1,db2/parley?host=db3',
    'postgres:///parley?host=db1,db2',
    'postgres://db1,db2/parley?port=5433',
    'postgres://db1,db2/parley?target_session_attrs=standby',
    'postgres://db1/parley?target_session_attrs=read-only',
    'postgres://db1,db2/parley?target_session_attrs=primary&target_session_attrs=standby',
    'postgres://db1,db2/parley?target_session_attrs=',
  ])('is refused with a message that says what is expected: %s', (text) => {
    expect(parsePostgresUrl(text)).toBeUndefined()
    expect(() => readConfig({ DATABASE_URL: text })).toThrow(
      /^DATABASE_URL=.* is not valid: expected .*several hosts.*target_session_attrs.*any, read-write or primary/,
    )
  })

  test('is a valid setting', () => {
    const DATABASE_URL = 'postgres://u:p@db1:5432,db2:5432,db3/parley?target_session_attrs=read-write'
    expect(readConfig({ DATABASE_URL }).databaseUrl).toBe(DATABASE_URL)
  })
})
