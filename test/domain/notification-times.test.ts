import { describe, expect, test } from 'bun:test'
import { DEFAULT_TIMES, mailTime, nextAllowedTime, nextTimeOfDay } from '../../src/domain/quiet-times'

const at = (text: string) => Date.parse(text)
const shown = (time: number | null) => (time === null ? null : new Date(time).toISOString().replace(':00.000Z', 'Z'))

describe('the next time of day', () => {
  test.each([
    ['Europe/Berlin', '2026-01-10T07:59Z', 9, '2026-01-10T08:00Z'],
    ['Europe/Berlin', '2026-01-10T08:00Z', 9, '2026-01-11T08:00Z'],
    ['America/Los_Angeles', '2026-01-10T02:00Z', 9, '2026-01-10T17:00Z'],
    ['Asia/Kathmandu', '2026-01-10T00:00Z', 9, '2026-01-10T03:15Z'],
    ['Pacific/Kiritimati', '2026-01-10T23:00Z', 0, '2026-01-11T10:00Z'],
    // Clocks go forward at 2:00: the day has 23 hours, and half past two does not exist.
    ['Europe/Berlin', '2026-03-28T12:00Z', 9, '2026-03-29T07:00Z'],
    ['Europe/Berlin', '2026-03-28T12:00Z', 2.5, '2026-03-29T01:30Z'],
    // Clocks go back at 3:00: half past two is there twice.
    ['Europe/Berlin', '2026-10-24T12:00Z', 9, '2026-10-25T08:00Z'],
    ['Europe/Berlin', '2026-10-24T12:00Z', 2.5, '2026-10-25T00:30Z'],
    ['America/Sao_Paulo', '2018-11-03T12:00Z', 0, '2018-11-04T03:00Z'],
    ['Australia/Lord_Howe', '2026-04-04T12:00Z', 9, '2026-04-04T22:30Z'],
  ])('in %s after %s, at %d:00, is %s', (zone, now, hour, expected) => {
    expect(shown(nextTimeOfDay(at(now), hour * 60, zone))).toBe(expected)
  })

  test('comes once a day for years, in zones that change their clocks', () => {
    for (const zone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'UTC']) {
      let time = at('2026-01-01T00:00Z')
      for (let day = 0; day < 800; day++) {
        const next = nextTimeOfDay(time, 9 * 60, zone)
        expect(next - time).toBeWithin(1, 25 * 3_600_000 + 1)
        time = next
      }
    }
  })
})

describe('when to mail', () => {
  const now = at('2026-01-10T21:30Z')
  const quiet = { quiet_from: 22 * 60, quiet_to: 7 * 60, time_zone: 'Europe/Berlin' }

  test.each([
    ['every_15_minutes', false, '2026-01-10T21:45Z'],
    ['every_15_minutes', true, '2026-01-10T21:35Z'],
    ['hourly', false, '2026-01-10T22:30Z'],
    ['hourly', true, '2026-01-10T21:35Z'],
    ['daily', false, '2026-01-11T09:00Z'],
    ['daily', true, '2026-01-10T21:35Z'],
    ['never', true, null],
  ] as const)('%s, urgent: %p', (mail, isUrgent, expected) => {
    expect(shown(mailTime({ ...DEFAULT_TIMES, mail }, now, isUrgent))).toBe(expected)
  })

  test('urgent is not sooner if one does not want it', () => {
    expect(shown(mailTime({ ...DEFAULT_TIMES, is_sooner: false }, now, true))).toBe('2026-01-10T22:30Z')
  })

  test('quiet hours that pass midnight, and pauses, put it off', () => {
    expect(shown(mailTime({ ...DEFAULT_TIMES, ...quiet }, now, true))).toBe('2026-01-11T06:00Z')
    const paused = { ...DEFAULT_TIMES, ...quiet, paused_until: at('2026-01-12T22:30Z') }
    expect(shown(nextAllowedTime(paused, now))).toBe('2026-01-13T06:00Z')
    expect(shown(nextAllowedTime({ ...DEFAULT_TIMES, ...quiet }, at('2026-01-10T12:00Z')))).toBe('2026-01-10T12:00Z')
    expect(shown(nextAllowedTime({ ...paused, quiet_to: 22 * 60 }, now))).toBe('2026-01-12T22:30Z')
  })
})
