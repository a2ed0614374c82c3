// A description of the document, and the smallest change that applies it.
// Text reaches the page as text nodes and attributes only: nothing here parses markup.

// Characters that would move or hide the text around them.
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

export const clean = (text) => String(text).replace(unseen, "\ufffd");

const svgSpace = "http://www.w3.org/2000/svg";

// h describes an element. Properties named on… are listeners, style is an object of
// custom properties and lengths, key tells siblings apart, made is called with a new element.
export function h(tag, properties, ...children) {
  const kids = [];
  const add = (child) => {
    if (Array.isArray(child)) child.forEach(add);
    else if (child === null || child === undefined || child === false || child === "") return;
    else kids.push(typeof child === "object" ? child : { text: clean(child) });
  };
  children.forEach(add);
  return { tag, properties: properties || {}, kids };
}

// show applies nodes to the content of root.
export function show(root, ...nodes) {
  const now = h("root", null, ...nodes);
  children(root, root.described ? root.described.kids : adopt(root), now.kids, false);
  root.described = now;
  for (const made of waiting.splice(0)) made();
}

// Work that new elements wait for: they take no focus and do not scroll before they are in
// the document.
const waiting = [];

// adopt removes the server's painted page.
function adopt(root) {
  root.replaceChildren();
  return [];
}

function make(node, svg) {
  if (node.text !== undefined) return document.createTextNode(node.text);
  svg = svg || node.tag === "svg";
  const element = svg ? document.createElementNS(svgSpace, node.tag) : document.createElement(node.tag);
  for (const name in node.properties) set(element, name, undefined, node.properties[name]);
  for (const kid of node.kids) element.append(make(kid, svg && node.tag !== "foreignObject"));
  if (node.tag === "select" && node.properties.value !== undefined) element.value = node.properties.value;
  if (node.properties.made) waiting.push(() => node.properties.made(element));
  return element;
}

function set(element, name, old, value) {
  if (old === value && name !== "value" || name === "key" || name === "made") return;
  if (name.startsWith("on")) {
    element.handlers ||= {};
    const type = name.slice(2);
    if (!element.handlers[type]) {
      element.handlers[type] = (event) => element.handlers["now " + type]?.(event);
      element.addEventListener(type, element.handlers[type]);
    }
    element.handlers["now " + type] = value;
  } else if (name === "style") {
    for (const key in old) if (!value || !(key in value)) element.style.removeProperty(key);
    for (const key in value) if (!old || old[key] !== value[key]) element.style.setProperty(key, value[key]);
  } else if (name === "value" && element.localName !== "option") {
    if (element.value !== value && element !== document.activeElement) element.value = value;
  } else if (value === undefined || value === null || value === false) {
    element.removeAttribute(name);
    if (name === "checked") element.checked = false;
  } else {
    element.setAttribute(name, value === true ? "" : clean(value));
    if (name === "checked") element.checked = true;
  }
}

function update(element, old, now, svg) {
  if (now.text !== undefined) {
    if (old.text !== now.text) element.data = now.text;
    return;
  }
  svg = svg || now.tag === "svg";
  for (const name in old.properties) if (!(name in now.properties)) set(element, name, old.properties[name], undefined);
  children(element, old.kids, now.kids, svg && now.tag !== "foreignObject");
  for (const name in now.properties) set(element, name, old.properties[name], now.properties[name]);
}

const alike = (a, b) => a.tag === b.tag && (a.text === undefined) === (b.text === undefined) && a.properties?.key === b.properties?.key;

// children updates the list of an element's nodes: equal ones stay, keyed ones move, others
// are created or removed.
function children(parent, old, now, svg) {
  let first = 0;
  while (first < old.length && first < now.length && alike(old[first], now[first])) {
    update(parent.childNodes[first], old[first], now[first], svg);
    first++;
  }
  if (first === old.length && first === now.length) return;
  const elements = [...parent.childNodes];
  const spare = new Map();
  for (let i = first; i < old.length; i++) {
    const key = name(old[i]);
    if (!spare.has(key)) spare.set(key, []);
    spare.get(key).push(i);
  }
  const kept = new Set();
  const wanted = [];
  for (let i = first; i < now.length; i++) {
    const at = spare.get(name(now[i]))?.shift();
    if (at === undefined) {
      wanted.push(make(now[i], svg));
      continue;
    }
    kept.add(at);
    update(elements[at], old[at], now[i], svg);
    wanted.push(elements[at]);
  }
  for (let i = first; i < old.length; i++) if (!kept.has(i)) elements[i].remove();
  wanted.forEach((element, i) => {
    const there = parent.childNodes[first + i];
    if (there !== element) parent.insertBefore(element, there || null);
  });
}

const name = (node) => (node.text !== undefined ? "#" : node.tag + " " + (node.properties.key ?? ""));
