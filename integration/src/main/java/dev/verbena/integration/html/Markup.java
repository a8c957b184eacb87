// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.html;

import dev.verbena.integration.IntegrationException;
import java.io.StringWriter;
import java.util.Locale;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * Writes HTML that is well-formed XML too, with all text escaped.
 *
 * <p>Attributes are given as names and values in turn. Not thread-safe.
 */
public final class Markup {
  private static final String SVG = "http://www.w3.org/2000/svg";

  private final StringWriter text = new StringWriter();
  private final XMLStreamWriter out;

  private Markup() {
    try {
      // The JDK's own: others write <td/>, which HTML takes for an open tag.
      out = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(text);
    } catch (XMLStreamException e) {
      throw new IntegrationException("no writer of XML", e);
    }
  }

  /** What stands in an element. */
  @FunctionalInterface
  public interface Content {
    /** Writes it. */
    void write(Markup page);
  }

  private interface Step {
    void run() throws XMLStreamException;
  }

  /**
   * A whole page.
   *
   * @param style CSS; must not contain what XML escapes
   */
  public static String page(String title, String style, Content body) {
    Markup page = new Markup();
    page.step(() -> page.out.writeDTD("<!DOCTYPE html>"));
    page.element(
        "html",
        html -> {
          html.element(
              "head",
              head -> {
                head.step(
                    () -> {
                      head.out.writeEmptyElement("meta");
                      head.out.writeAttribute("charset", "utf-8");
                    });
                head.text("title", title);
                head.text("style", style);
              });
          html.element("body", body);
        },
        "lang",
        "en");
    page.step(page.out::flush);
    return page.text + "\n";
  }

  /** An element with others in it. */
  public void element(String name, Content content, String... attributes) {
    open(name, attributes);
    content.write(this);
    step(out::writeEndElement);
  }

  /** An element with text in it. */
  public void text(String name, String content, String... attributes) {
    element(name, inside -> inside.step(() -> inside.out.writeCharacters(content)), attributes);
  }

  /** A drawing, whose size is in pixels. */
  public void svg(double width, double height, String label, Content content) {
    element(
        "svg",
        content,
        "xmlns",
        SVG,
        "width",
        number(width),
        "height",
        number(height),
        "viewBox",
        "0 0 " + number(width) + " " + number(height),
        "role",
        "img",
        "aria-label",
        label);
  }

  /** A coordinate. */
  static String number(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }

  private void open(String name, String... attributes) {
    step(() -> out.writeStartElement(name));
    for (int i = 0; i < attributes.length; i += 2) {
      String key = attributes[i];
      String value = attributes[i + 1];
      step(() -> out.writeAttribute(key, value));
    }
  }

  private void step(Step step) {
    try {
      step.run();
    } catch (XMLStreamException e) {
      throw new IntegrationException("cannot write the page", e);
    }
  }
}
