import { describe, expect, test } from 'bun:test'
import { expectInvalid, expectRefused } from '../expectations'
import { world } from '../world'

describe('me.updatePreferences', () => {
  test('changes what was given, for this member only, without an event', async () => {
    const { ada, bob, events } = await world()
    expect(await ada.me.getPreferences()).toEqual({ enter_sends: true })
    expect(await ada.me.updatePreferences({})).toEqual({ enter_sends: true })
    expect(await ada.me.updatePreferences({ enter_sends: false })).toEqual({ enter_sends: false })
    expect(await ada.me.updatePreferences({})).toEqual({ enter_sends: false })
    expect(await ada.me.getPreferences()).toEqual({ enter_sends: false })
    expect(await bob.me.getPreferences()).toEqual({ enter_sends: true })
    expect(await ada.me.updatePreferences({ enter_sends: true })).toEqual({ enter_sends: true })
    expect(await events()).toEqual([])
  })

  test('viewers and guests have preferences; apps and read-only tokens cannot change any', async () => {
    const { vic, gus, bot, ada, tokenFor } = await world()
    for (const who of [vic, gus])
      expect(await who.me.updatePreferences({ enter_sends: false })).toEqual({ enter_sends: false })
    await expectRefused(bot.me.getPreferences(), 'forbidden')
    await expectRefused(bot.me.updatePreferences({ enter_sends: false }), 'forbidden')
    const reader = await tokenFor(ada.id, ['read'])
    await expectRefused(reader.me.updatePreferences({ enter_sends: false }), 'insufficient_scope')
    expect(await reader.me.getPreferences()).toEqual({ enter_sends: true })
  })

  test('other values and names are refused', async () => {
    const { ada } = await world()
    await expectInvalid(ada.me.updatePreferences({ enter_sends: 'yes' } as never), 'enter_sends')
    await expectInvalid(ada.me.updatePreferences({ tab_sends: true } as never), 'tab_sends')
  })
})
