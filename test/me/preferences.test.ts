import { describe, expect, test } from 'bun:test'
import { expectInvalid, expectRefused } from '../expectations'
import { world } from '../world'

const usual = { enter_sends: true, folded_sections: [], writes_markdown: false }

describe('me.updatePreferences', () => {
  test('changes what was given, for this member only, without an event', async () => {
    const { ada, bob, events } = await world()
    expect(await ada.me.getPreferences()).toEqual(usual)
    expect(await ada.me.updatePreferences({})).toEqual(usual)
    expect(await ada.me.updatePreferences({ enter_sends: false })).toEqual({ ...usual, enter_sends: false })
    expect(await ada.me.updatePreferences({})).toEqual({ ...usual, enter_sends: false })
    expect(await ada.me.getPreferences()).toEqual({ ...usual, enter_sends: false })
    expect(await bob.me.getPreferences()).toEqual(usual)
    expect(await ada.me.updatePreferences({ enter_sends: true })).toEqual(usual)
    expect(await events()).toEqual([])
  })

  test('keeps which sections are folded, and what one writes in', async () => {
    const { ada } = await world()
    await ada.me.updatePreferences({ folded_sections: ['direct_messages', 'favorites'] })
    await ada.me.updatePreferences({ writes_markdown: true })
    expect(await ada.me.getPreferences()).toEqual({
      ...usual,
      folded_sections: ['direct_messages', 'favorites'],
      writes_markdown: true,
    })
    expect(await ada.me.updatePreferences({ folded_sections: [] })).toMatchObject({ folded_sections: [] })
    expect(await ada.me.getPreferences()).toMatchObject({ folded_sections: [], writes_markdown: true })
  })

  test('viewers and guests have preferences; apps and read-only tokens cannot change any', async () => {
    const { vic, gus, bot, ada, tokenFor } = await world()
    for (const who of [vic, gus])
      expect(await who.me.updatePreferences({ enter_sends: false })).toEqual({ ...usual, enter_sends: false })
    await expectRefused(bot.me.getPreferences(), 'forbidden')
    await expectRefused(bot.me.updatePreferences({ enter_sends: false }), 'forbidden')
    const reader = await tokenFor(ada.id, ['read'])
    await expectRefused(reader.me.updatePreferences({ enter_sends: false }), 'insufficient_scope')
    expect(await reader.me.getPreferences()).toEqual(usual)
  })

  test('other values and names are refused', async () => {
    const { ada } = await world()
    await expectInvalid(ada.me.updatePreferences({ enter_sends: 'yes' } as never), 'enter_sends')
    await expectInvalid(ada.me.updatePreferences({ folded_sections: ['files'] } as never), 'folded_sections[0]')
    await expectInvalid(ada.me.updatePreferences({ folded_sections: ['channels', 'channels'] }), 'folded_sections')
    await expectInvalid(ada.me.updatePreferences({ tab_sends: true } as never), 'tab_sends')
  })
})
