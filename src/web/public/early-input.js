// Keeps what a reader does with a page that the server rendered before the web app handles it: the first shortcut, or
// the last press of a button or submitted form, and what is chosen or typed, also in the search box after '/'. The web
// app dispatches 'parley:hydrated' when it is ready (core/hydration.ts). Links and the search box work without it.
(() => {
  if (document.querySelector('#root[data-rendered-at]') === null) return;
  let repeat = null;
  let pressed = null;
  const keys = [];
  const inputs = new Map();
  const listFields = () => [...document.querySelectorAll('#root :is(input, textarea, select)')];

  // A button may move between the start of a press and its end, when the page handles input meanwhile.
  function keepPress({ target, clientX, clientY }) {
    pressed = { button: target.closest('#root button'), clientX, clientY };
  }

  function endPress({ target, clientX, clientY }) {
    const { button } = pressed;
    // Pixels; a press that ends elsewhere is none.
    const isSamePlace = Math.hypot(clientX - pressed.clientX, clientY - pressed.clientY) < 4;
    if (button?.isConnected && isSamePlace && !button.contains(target)) button.click();
  }

  function keepClick(event) {
    pressed = null;
    const button = event.target.closest('#root button');
    if (button === null || button.type === 'submit') return;
    const places = [];
    for (let box = button.parentElement; box !== null; box = box.parentElement)
      places.push({ box, at: [...box.querySelectorAll('button')].indexOf(button) });
    repeat = () => {
      if (button.isConnected) return button.click();
      // A text was rendered again meanwhile.
      const { box, at } = places.find((place) => place.box.isConnected);
      box.querySelectorAll('button')[at]?.click();
    };
  }

  function keepInput({ target: field }) {
    const { value, checked } = field;
    inputs.set(field, { value, checked, at: listFields().indexOf(field) });
  }

  const isChoice = (field) => field.type === 'checkbox' || field instanceof HTMLSelectElement;

  function repeatInput(field, { value, checked, at }) {
    // React renders a page again that differs from its HTML.
    const shown = field.isConnected ? field : listFields()[at];
    if (shown?.type !== field.type) return;
    if (shown.type === 'checkbox') {
      shown.checked = !checked;
      shown.click();
    } else if (shown instanceof HTMLSelectElement) {
      shown.value = value;
      shown.dispatchEvent(new Event('change', { bubbles: true }));
    } else repeatTyping(shown, value);
  }

  // Shortcuts, which can have two keys. Keys in fields type.
  function keepKey(event) {
    const { target, key, code, ctrlKey, metaKey, altKey, shiftKey, timeStamp } = event;
    if (target.closest('input, textarea, select, button, a') !== null || key === 'Tab') return;
    if (key === 'Escape') keys.length = 0;
    if (key === '/' && !ctrlKey && !metaKey && !altKey && focusSearch()) {
      // The text that follows goes into the search box, which keeps the focus.
      keys.length = 0;
      return event.preventDefault();
    }
    keys.push({ key, code, ctrlKey, metaKey, altKey, shiftKey, timeStamp, bubbles: true, cancelable: true });
    // Until one does something: a letter after 'n' or ⌘K is none of the shortcuts. 'j' and 'k' only move the focus.
    repeat = () => keys.every((options) => repeatKey(options) || movesFocus(options));
  }

  /** As the shortcut does (app/KeyboardShortcuts.tsx). False if there is no search box, or no shortcuts. */
  function focusSearch() {
    const box = document.getElementById('search-questions');
    try {
      if (box === null || localStorage.getItem('singleKeys') === 'false') return false;
    } catch {
      // Without storage, shortcuts are on.
    }
    box.focus();
    box.select();
    return true;
  }

  const movesFocus = ({ key, ctrlKey, metaKey }) => 'jk'.includes(key) && !ctrlKey && !metaKey;

  function repeatKey(options) {
    const event = new KeyboardEvent('keydown', options);
    // Two keys with a long time between them are no shortcut.
    Object.defineProperty(event, 'timeStamp', { value: options.timeStamp });
    return document.body.dispatchEvent(event);
  }

  function keepSubmit(event) {
    const { target: form, submitter } = event;
    if (form.getAttribute('action') !== null) return;
    // The browser would send the fields as part of the address.
    event.preventDefault();
    repeat = () => form.requestSubmit(submitter);
  }

  // React ignores an input event whose value it knows, and it knows the one at the time of hydration.
  function repeatTyping(field, value) {
    if (value === field.defaultValue) return;
    field.value = field.defaultValue;
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value').set.call(field, value);
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }

  document.addEventListener('pointerdown', keepPress, true);
  document.addEventListener('click', keepClick, true);
  document.addEventListener('submit', keepSubmit, true);
  document.addEventListener('input', keepInput, true);
  document.addEventListener('keydown', keepKey, true);
  document.addEventListener(
    'parley:hydrated',
    () => {
      document.removeEventListener('pointerdown', keepPress, true);
      document.removeEventListener('click', keepClick, true);
      if (pressed !== null) document.addEventListener('click', endPress, { capture: true, once: true });
      document.removeEventListener('submit', keepSubmit, true);
      document.removeEventListener('input', keepInput, true);
      document.removeEventListener('keydown', keepKey, true);
      for (const [field, input] of inputs) if (!isChoice(field)) repeatInput(field, input);
      // The browser fills in fields, too.
      for (const field of listFields())
        if (!inputs.has(field) && 'defaultValue' in field) repeatTyping(field, field.value);
      // A choice may lead to another page, which is possible once all of the web app has started.
      setTimeout(() => {
        for (const [field, input] of inputs) if (isChoice(field)) repeatInput(field, input);
        // After React has rendered the typed text, which a form needs.
        setTimeout(() => repeat?.());
      });
    },
    { once: true },
  );
})();
